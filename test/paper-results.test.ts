import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fescExperiments } from '../experiments/fesc/experiments.ts';
import { defaultPlan as usualFesc } from '../experiments/fesc/simulation.ts';
import { paperPage } from '../experiments/page/paper-page.ts';
import type { Experiment, ExperimentResult, PaperResult } from '../experiments/paper-result.ts';
import { paperProgram } from '../experiments/papers.ts';
import { ridgeExperiments } from '../experiments/ridge/experiments.ts';
import { defaultPlan as usualRidge } from '../experiments/ridge/plan.ts';

const results = new URL('../experiments/results/', import.meta.url);
const text = (file: string) => readFileSync(new URL(file, results), 'utf8');
const version: string = JSON.parse(text('../../package.json')).version;

/** Every experiment, on data so small that all of them take seconds. */
const reruns = {
  ridge: () => {
    const size = { sites: 6, rowsPerSite: 150, features: 20 };
    const plan = { ...usualRidge, ...size, trials: 1, quick: true };
    return Object.values(ridgeExperiments).map(({ run }) => finish(run(plan)));
  },
  fesc: () => {
    const plan = { ...usualFesc, runs: 10 };
    return Object.values(fescExperiments).map(({ run }) => finish(run(plan)));
  },
} as const;

function finish(experiment: Experiment): ExperimentResult {
  for (;;) {
    const next = experiment.next();
    if (next.done === true) return next.value;
  }
}

/** Claims without their counts, which grow with the trials: `12 of 12 cells` is `30 of 30` in a full run. */
function claimsOf(experiments: readonly ExperimentResult[]) {
  return experiments.flatMap(({ id, conclusions }) =>
    conclusions.map(({ claim, holds }) => ({
      claim: `${id}: ${claim.replace(/\d[\d.,]*/g, '#')}`,
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

  it('make the claims that a small rerun makes, and hold where it holds', () => {
    const known = new Map(
      claimsOf(committed.experiments).map(({ claim, holds }) => [claim, holds]),
    );
    const again = claimsOf(reruns[paper]());
    expect(again.map(({ claim }) => claim)).toEqual([...known.keys()]);
    expect(again.filter(({ claim, holds }) => holds && known.get(claim) === false)).toEqual([]);
  });
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
