import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fescExperiments } from '../experiments/fesc/experiments.ts';
import { defaultSimulationPlan as usualFesc } from '../experiments/fesc/simulation.ts';
import { paperPage } from '../experiments/page/paper-page.ts';
import type { Experiment, ExperimentResult, PaperResult } from '../experiments/paper-result.ts';
import { paperProgram } from '../experiments/papers.ts';
import { ridgeExperiments } from '../experiments/ridge/experiments.ts';
import { defaultRidgePlan as usualRidge } from '../experiments/ridge/plan.ts';

const results = new URL('../experiments/results/', import.meta.url);
const text = (file: string) => readFileSync(new URL(file, results), 'utf8');
const version: string = JSON.parse(text('../../package.json')).version;

/** Every experiment, on data so small that all of them take seconds. */
const reruns = {
  ridge: () => {
    const size = { sites: 5, rowsPerSite: 120, features: 15 };
    const plan = { ...usualRidge, ...size, trials: 1, quick: true };
    return Object.values(ridgeExperiments).map(({ run }) => finish(run(plan)));
  },
  fesc: () => {
    const plan = { ...usualFesc, nodes: 40, runs: 10 };
    return Object.values(fescExperiments).map(({ run }) => finish(run(plan)));
  },
} as const;

/** Claims that take data of some size to show, or a machine with nothing else to do. */
const needsSize: readonly RegExp[] = [
  /A promise that is kept/,
  /The spectrum alone foretells/,
  /times faster|time grows linearly/,
  /more visible where sizes vary more/,
];

function finish(experiment: Experiment): ExperimentResult {
  for (;;) {
    const next = experiment.next();
    if (next.done === true) return next.value;
  }
}

/** Claims without their counts, which grow with the trials: `12 of 12 cells` is `30 of 30` in a full run. */
function claimsOf(experiments: readonly ExperimentResult[]) {
  return experiments.flatMap(({ id, conclusions }) =>
    conclusions.map(({ of, where, claim, holds }) => ({
      of,
      claim: `${id}, ${of} ${where ?? ''}: ${claim.replace(/\d[\d.,]*/g, '#')}`,
      holds,
    })),
  );
}

describe.each(['ridge', 'fesc'] as const)('the committed results of %s', (paper) => {
  const committed: PaperResult = JSON.parse(text(`${paper}.json`));

  it('are of a full run of this version, all experiments in order', () => {
    expect(committed).toMatchObject({
      schema: 'suffice/paper@1',
      paper,
      settings: paper === 'ridge' ? { ...usualRidge } : { ...usualFesc, quick: false },
      versions: { suffice: version },
    });
    const ids = paperProgram.entries(paper).map(({ id }) => id);
    expect(committed.experiments.map(({ id }) => id)).toEqual(ids);
  });

  it('have the page that is made of them', () => {
    expect(text(`${paper}.html`)).toBe(paperPage(committed));
  });

  it('judge the claims that a small rerun judges', () => {
    const again = claimsOf(reruns[paper]());
    const known = claimsOf(committed.experiments);
    expect(again.map(({ claim }) => claim)).toEqual(known.map(({ claim }) => claim));
    const turned = known.filter(({ holds }, k) => holds !== again[k].holds);
    expect(turned.filter(({ claim }) => !needsSize.some((words) => words.test(claim)))).toEqual([]);
  });

  it('have all of our own claims hold', () => {
    const own = claimsOf(committed.experiments).filter(({ of }) => of === 'ours');
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter(({ holds }) => !holds)).toEqual([]);
  });
});

it('the paper’s claims that NOTES calls wrong do not hold, those it calls right do', () => {
  const { experiments }: PaperResult = JSON.parse(text('ridge.json'));
  const holds = (id: string, where: string) =>
    experiments
      .find((one) => one.id === id)!
      .conclusions.filter((one) => one.where === where)
      .map((one) => one.holds);
  expect(holds('1', 'Table II')).toEqual([false, true, true, false]);
  expect(holds('3', 'Table IV')).toEqual([false]);
  expect(holds('3', 'Abstract')).toEqual([false]);
  expect(holds('5', 'Theorem 6')).toEqual([false]);
  expect(holds('5', 'Corollary 3')).toEqual([false]);
  expect(holds('7', 'Remark 7')).toEqual([false]);
  for (const [id, where] of [
    ['1', 'Theorem 2'],
    ['2', 'Theorem 5'],
    ['dropout', 'Theorem 8'],
    ['crossover', 'Theorem 4'],
    ['crossover', 'Corollary 2'],
  ]) {
    expect(holds(id, where)).toEqual([true]);
  }
});

it('One-Shot is the centralised fit to the last bit, in every experiment that has both', () => {
  const { experiments }: PaperResult = JSON.parse(text('ridge.json'));
  const exact = experiments.flatMap(({ id, conclusions }) =>
    conclusions
      .filter(({ claim }) => claim.includes('to the last bit'))
      .map(({ holds }) => ({ id, holds })),
  );
  expect(exact.map(({ id }) => id)).toEqual(expect.arrayContaining(['1', '2', '3', '4', '6', '7']));
  expect(exact.filter(({ holds }) => !holds)).toEqual([]);
});
