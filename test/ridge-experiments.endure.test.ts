import { describe, expect, it } from 'vitest';
import type { ExperimentResult } from '../experiments/paper-result.ts';
import { ridgeExperiments } from '../experiments/ridge/experiments.ts';
import { defaultRidgePlan, type RidgePlan } from '../experiments/ridge/plan.ts';
import { chosen } from './endurance.ts';

const small: RidgePlan = {
  ...defaultRidgePlan,
  sites: 5,
  rowsPerSite: 60,
  features: 8,
  trials: 2,
  seed: 3,
  quick: true,
};

interface Ran {
  readonly result: ExperimentResult;
  readonly drawn: readonly ExperimentResult[];
}

/** What tests ask for more than once is run once. */
const kept = new Map<string, Ran>();

function ran(id: string, plan: RidgePlan): Ran {
  const key = `${id} ${JSON.stringify(plan)}`;
  const one = kept.get(key) ?? run(id, plan);
  kept.set(key, one);
  return one;
}

function run(id: string, plan: RidgePlan): Ran {
  const experiment = ridgeExperiments[id].run(plan);
  const drawn: ExperimentResult[] = [];
  let done = 0;
  for (;;) {
    const next = experiment.next();
    if (next.done === true) return { result: next.value, drawn };
    expect(next.value.done).toBeGreaterThanOrEqual(done - 1e-12);
    expect(next.value.done).toBeLessThanOrEqual(1 + 1e-12);
    expect(next.value.what).not.toBe('');
    done = next.value.done;
    if (next.value.soFar !== undefined) drawn.push(next.value.soFar);
  }
}

/** All but seconds. */
const timeless = ({ seconds, ...result }: ExperimentResult) => JSON.stringify(result);

describe('every experiment, small', () => {
  it('has the ids of the paper in its order', () => {
    // Whole numbers come first in an object whatever the order they were written in.
    expect(Object.keys(ridgeExperiments)).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
      '7',
      'dropout',
      'loso',
      'gradient',
      'crossover',
      'inside',
    ]);
  });

  const everyOne = [
    ['1', small],
    ['2', small],
    ['3', { ...small, sites: 2, trials: 1 }],
    ['4', small],
    ['5', { ...small, trials: 1 }],
    ['6', { ...small, trials: 1 }],
    ['7', small],
    ['dropout', small],
    ['loso', small],
    ['gradient', small],
  ] as const;
  it.each(chosen<(typeof everyOne)[number]>(everyOne, 0, 3, 7, 9))(
    '%s: one-shot is the oracle to the last bit in all its cells',
    (id, plan) => {
      const { result } = ran(id, plan);
      expect(result.id).toBe(id);
      expect(result.title).toBe(ridgeExperiments[id].title);
      const bits = result.conclusions.find(({ claim }) => claim.includes('to the last bit'));
      expect(bits).toMatchObject({ of: 'ours', holds: true });
      expect(bits!.claim).toMatch(/to the last bit in (\d+) of \1 cells$/);
      for (const one of result.conclusions) {
        if (one.of === 'ours') continue;
        expect([one.where, one.claim, one.matter, one.because]).not.toContain('');
        expect(new Set(one.readings.map(({ as }) => as)).size).toBe(one.readings.length);
        expect(one.readings.length).toBeGreaterThan(0);
        expect(one.holds).toBe(one.verdict === 'holds');
      }
      for (const { columns, rows } of result.tables) {
        for (const { cells } of rows) expect(cells.length).toBe(columns.length);
      }
      for (const { series } of result.figures) {
        for (const { points } of series) {
          for (const { x, y } of points)
            expect(Number.isFinite(x) && Number.isFinite(y)).toBe(true);
        }
      }
      expect(JSON.stringify(result)).not.toMatch(/NaN|undefined|Infinity|null/);
    },
  );

  it('crossover: bytes cross where Corollary 2 says, for what it counts', () => {
    const { result } = run('crossover', small);
    expect(result.conclusions.every(({ holds }) => holds)).toBe(true);
  });

  it('inside: less noise by √K with one noise, by √(K/2) with two, and a better model for it', () => {
    const { result } = run('inside', { ...small, rowsPerSite: 400, features: 6 });
    const [mse, noise] = result.tables;
    for (const { columns, rows } of result.tables) {
      expect(rows.map(({ label }) => label)).toEqual(['0.1', '0.2', '0.4']);
      for (const { cells } of rows) {
        expect(cells.length).toBe(columns.length);
        for (const { measured } of cells) expect(measured!.mean).toBeGreaterThan(0);
      }
    }
    for (const { cells } of noise.rows) {
      const [formula, one, inside, each, byOne, byTwo] = cells.map(
        ({ measured }) => measured!.mean,
      );
      // 21 entries of each of two data sets.
      expect(Math.abs(one / formula - 1)).toBeLessThan(0.35);
      expect(Math.abs(inside / (formula * Math.SQRT2) - 1)).toBeLessThan(0.35);
      expect(Math.abs(each / (formula * Math.sqrt(5)) - 1)).toBeLessThan(0.35);
      expect([byOne, byTwo]).toEqual([each / one, each / inside]);
    }
    const [central, inside, local] = mse.rows[2].cells.map(({ measured }) => measured!.mean);
    expect([central < inside, inside < local]).toEqual([true, true]);
    expect(result.conclusions.find(({ of }) => of === 'paper')).toMatchObject({ verdict: 'holds' });
    expect(JSON.stringify(result)).not.toMatch(/NaN|undefined|Infinity|null/);
  });

  const drawing: readonly (readonly [string, number])[] = [
    ['2', 2 * 6],
    ['dropout', 2],
    ['7', 2],
  ];
  it.each(chosen(drawing, 1))('%s draws while it runs, and twice the same', (id, times) => {
    const first = ran(id, small);
    expect(first.drawn.length).toBe(times);
    expect(first.drawn[0].figures.length).toBeGreaterThan(0);
    expect(JSON.stringify(first.drawn)).not.toMatch(/NaN|undefined|Infinity|null/);
    expect(timeless(first.drawn.at(-1)!)).toBe(timeless(first.result));
    expect(timeless(run(id, small).result)).toBe(timeless(first.result));
    expect(timeless(run(id, { ...small, seed: 4 }).result)).not.toBe(timeless(first.result));
  });

  const findings = [
    [
      '2',
      ['holds', 'holds', 'depends', 'fails'],
      ['Theorem 5', '§V-C', '§V-C, Table III', '§V-C, Table III'],
    ],
    ['4', ['holds', 'holds', 'depends', 'fails'], ['§V-E', 'Figure 3', '§V-E, Figure 3', '§V-E']],
    ['7', ['fails', 'fails', 'fails'], ['Remark 7', '§V-H, Table VII', '§V-H']],
    ['gradient', ['holds'], ['Proposition 4']],
  ] as const;
  it.each(chosen(findings, 2, 3))(
    '%s: what holds of it holds here, too',
    (id, verdicts, places) => {
      const { conclusions, differences } = run(id, { ...small, sites: 10, features: 20 }).result;
      const statements = conclusions.filter((one) => one.of === 'paper');
      expect(statements.map(({ verdict }) => verdict)).toEqual(verdicts);
      expect(statements.map(({ where }) => where)).toEqual(places);
      expect(conclusions.every(({ of, holds }) => of === 'paper' || holds)).toBe(true);
      expect(differences.length).toBeGreaterThan(0);
    },
  );

  it('a curve of 300 rounds has few points, first and last among them', () => {
    const [{ series }] = ran('4', small).result.figures;
    const rounds = series.find(({ name }) => name === 'FedAvg')!.points.map(({ x }) => x);
    expect([rounds[0], rounds.at(-1)]).toEqual([1, 300]);
    expect(rounds.length).toBeLessThanOrEqual(60);
    expect(new Set(rounds).size).toBe(rounds.length);
  });

  it('the left-out losses of Proposition 5 are those of held-out rows', () => {
    const { result } = run('loso', { ...small, sites: 6, features: 10 });
    expect(result.conclusions.map(({ holds }) => holds)).toEqual([true, true, true]);
  });
});
