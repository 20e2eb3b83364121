import { agreement, contribution, reduction } from '../src/federate.ts';
import { findBlas } from '../src/node/compute/blas.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import type { Contribution } from '../src/statistic/envelope.ts';
import type { TableStudy } from '../src/study/study.ts';

/** A least-squares study of d numbers. */
export function studyOfWidth(d: number): TableStudy {
  const names = ['y', ...Array.from({ length: d }, (_, j) => `x${j}`)];
  return {
    schema: 'suffice/study@1',
    formula: 'y ~ .',
    codebook: Object.fromEntries(
      names.map((name) => [name, { type: 'number', range: [-1, 1] } as const]),
    ),
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
    disclosure: { profile: 'none' },
  };
}

const ROWS_AT_ONCE = 224;

/** The signed contribution of a site with rows of its own. */
export async function wideContribution(
  study: TableStudy,
  site: string,
  rows: number,
  seed: number,
): Promise<Contribution> {
  const agreed = agreement(study);
  const blas = await findBlas();
  const sums = reduction(agreed, {
    ...{ file: site, missing: 'drop' },
    ...(blas === undefined ? {} : { grams: blas }),
  });
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  const columns = agreed.columns.map(() => new Float64Array(ROWS_AT_ONCE));
  const response = agreed.columns.findIndex(({ name }) => name === 'y');
  for (let first = 0; first < rows; first += ROWS_AT_ONCE) {
    const count = Math.min(ROWS_AT_ONCE, rows - first);
    for (let r = 0; r < count; r++) {
      const common = next();
      columns.forEach((column, j) => {
        if (j !== response) column[r] = 0.7 * next() + 0.3 * common;
      });
      columns[response]![r] = 0.5 * columns[response === 0 ? 1 : 0]![r]! + 0.3 * next();
    }
    const block = { rows: count, columns: columns.map((column) => column.subarray(0, count)) };
    sums.add(block, (r) => first + r + 1);
  }
  return signContribution(contribution(agreed, site, sums.finish()), createSigningKey());
}
