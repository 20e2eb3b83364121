import { expect, it } from 'vitest';
import type { LeverageJob } from '../src/rows/leverage-job.ts';
import type { ReduceJob } from '../src/rows/reduce-job.ts';
import { workOf } from '../src/rows/work-of.ts';
import type { Study, TableStudy } from '../src/study/study.ts';

function reducing(columns: number, arithmetic: Study['arithmetic']): ReduceJob {
  const names = Array.from({ length: columns }, (_, k) => `x${k}`);
  const number = { type: 'number', range: [0, 1] } as const;
  const study: Study = {
    schema: 'suffice/study@1',
    name: 'wide',
    formula: `y ~ ${names.join(' + ')}`,
    codebook: Object.fromEntries([...names, 'y'].map((name) => [name, number])),
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic,
  };
  const source = { length: 1000 } as ReduceJob['source'];
  return { kind: 'reduce', study, source, missing: 'drop', wholeFile: false, site: { name: 'a' } };
}

it.each(['exact', 'compact'] as const)(
  'a second pass over wide rows counts as exact sums do: %s',
  (arithmetic) => {
    const { study, source } = reducing(500, arithmetic);
    const values = new Uint32Array(0);
    const job: LeverageJob = { kind: 'leverage', study, source, site: 'a', values, facts: [] };
    expect(workOf(job)).toBe(workOf(reducing(500, 'exact')));
  },
);

it.each([
  [3, 'exact', 1000],
  [60, 'exact', 1000],
  [500, 'exact', 5000],
  [500, 'compact', 1000],
] as const)(
  'a file of 1000 bytes, %s columns, %s sums: the work of %s bytes',
  (columns, arithmetic, bytes) => {
    expect(workOf(reducing(columns, arithmetic)) / bytes).toBeCloseTo(1, 1);
  },
);

it('a training counts by its epochs, so that it gets a thread and can be stopped', () => {
  const training = (epochs: number): ReduceJob => {
    const { study, ...job } = reducing(4, 'exact');
    const network = { layers: [{ kind: 'dense', units: 8 }] } as const;
    const fusion = { kind: 'network-average', network, training: { epochs } } as const;
    return { ...job, study: { ...(study as TableStudy), fusion } };
  };
  // Weights: 8 × 5 and 1 × 9, each three times an epoch, and once more for what is measured; 4 inputs.
  expect(workOf(training(999))).toBeCloseTo((1000 * (3 * 49 * 1000)) / 4 / 20, 6);
  expect(workOf(training(0))).toBe(1000 * Math.max(1, (3 * 49) / 4 / 20));
});
