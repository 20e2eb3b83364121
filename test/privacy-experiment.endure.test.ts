import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { drawSites, paperSetting } from '../experiments/data/generator.ts';
import {
  fedAverages,
  hybrids,
  oneShotContestant,
  printed,
  untunedPlan,
} from '../experiments/privacy/contestants.ts';
import { missedGoals } from '../experiments/privacy/goals.ts';
import { markdown } from '../experiments/privacy/markdown.ts';
import { noiseWords } from '../experiments/privacy/noise-words.ts';
import { epsilons, tableV } from '../experiments/privacy/paper.ts';
import { meanOverRepetitions, type Results, ratioOf } from '../experiments/privacy/results.ts';
import { prepare, testError } from '../experiments/privacy/trial.ts';
import { epsilonOf } from '../src/privacy/calibration.ts';

const folder = new URL('../experiments/results/', import.meta.url);
const committed: Results = JSON.parse(readFileSync(new URL('privacy.json', folder), 'utf8'));
const paper = committed.settings[0];

describe('the committed privacy experiment', () => {
  it('has every seed of every method and reaches every goal', () => {
    expect(paper.seeds.length).toBe(20);
    for (const { nonPrivate, cells, seeds } of committed.settings) {
      expect(nonPrivate.length).toBe(seeds.length);
      for (const { mse } of cells) expect(mse.length).toBe(seeds.length);
    }
    expect(missedGoals(committed)).toEqual([]);
  });

  it('has tables that were made from its numbers', () => {
    expect(readFileSync(new URL('privacy.md', folder), 'utf8')).toBe(markdown(committed));
  });

  it('says what the text beside the tables says', () => {
    const ratio = (method: Parameters<typeof ratioOf>[1], epsilon: number) =>
      ratioOf(paper, method, epsilon)!.mean;
    for (const epsilon of [1, 2, 5, 10]) {
      expect(ratio('fedavg-central', epsilon)).toBeLessThan(ratio('cleaner', epsilon));
    }
    for (const epsilon of epsilons) {
      expect(ratio('hybrid-4', epsilon)).toBeLessThan(ratio('cleaner', epsilon));
      expect(ratio('cleaner', epsilon)).toBeLessThan(ratio('local', epsilon));
    }
    for (const epsilon of [0.1, 0.5, 1]) {
      expect(ratio('cleaner', epsilon)).toBeLessThan(ratio('labels', epsilon));
    }
    epsilons.slice(1).forEach((epsilon, k) => {
      const cell = paper.cells.find((c) => c.method === 'as-printed' && c.epsilon === epsilon)!;
      expect(Math.abs(meanOverRepetitions(cell.mse) - tableV.oneShot[k + 1])).toBeLessThan(0.001);
    });
  });
});

describe('a rerun of one seed', () => {
  const trial = prepare(paperSetting, paper.seeds[0]);
  // Places in the list of contestants: they say which noise each draws.
  const rerun = (place: number, contestant: typeof oneShotContestant, epsilon: number) =>
    Object.entries(
      contestant(trial)(epsilon, noiseWords([trial.seed, epsilons.indexOf(epsilon), place])),
    ).map(([method, weights]) => ({ method, mse: testError(trial.test, weights).mse }));

  it('has the non-private error of the committed run', () => {
    expect(trial.nonPrivate / paper.nonPrivate[0]).toBeCloseTo(1, 4);
    expect(trial.nonPrivate).toBeGreaterThan(0.009);
    expect(trial.nonPrivate).toBeLessThan(0.0115);
  });

  it.each([
    ['one-shot', 0, oneShotContestant, 1],
    ['hybrid', 3, hybrids([1, 4]), 1],
    ['as printed', 4, printed, 1],
    ['DP-FedAvg', 5, fedAverages('', untunedPlan), 5],
  ])('has the errors of the committed run: %s', (_, place, contestant, epsilon) => {
    const answers = rerun(place, contestant, epsilon);
    expect(answers.length).toBeGreaterThan(0);
    for (const { method, mse } of answers) {
      const cell = paper.cells.find((c) => c.method === method && c.epsilon === epsilon)!;
      expect(mse / cell.mse[0]).toBeCloseTo(1, 4);
    }
  });
});

describe('the generator', () => {
  it('draws what §V-A says: error SD 0.1, features of SD 0.8 to 1.2, means at distance γ', () => {
    const setting = { ...paperSetting, sites: 3, trainRows: 20_000, testRows: 1, features: 5 };
    for (const { train } of drawSites(setting, 11)) {
      const means = train.features.map((column) => meanOverRepetitions([...column]));
      expect(Math.hypot(...means)).toBeGreaterThan(0.46);
      expect(Math.hypot(...means)).toBeLessThan(0.54);
      train.features.forEach((column, j) => {
        const sd = Math.sqrt(meanOverRepetitions(Array.from(column, (v) => (v - means[j]) ** 2)));
        expect(sd).toBeGreaterThan(0.78);
        expect(sd).toBeLessThan(1.22);
      });
    }
    const { nonPrivate } = prepare({ ...setting, testRows: 5000 }, 11);
    expect(Math.abs(nonPrivate - 0.01)).toBeLessThan(0.0005);
  });
});

describe('Algorithm 2', () => {
  it('promises ε = 1 and keeps about 303 on rows of length 10 (research §1.1)', () => {
    expect(epsilonOf(100.5 / Math.sqrt(2 * Math.log(1.25e5)), 1e-5)).toBeCloseTo(302.7, 1);
  });
});
