import type { ColumnsAt } from '../aggregation/aggregation.ts';
import { DataError } from '../data-error.ts';
import { columnOwners } from '../features/split-design.ts';
import { isLinear } from '../statistic/layout.ts';
import { SITE_COLUMN } from '../study/codebook.ts';
import type { Method } from './method.ts';

/** Refuses a method whose sums cannot be made where parties hold different columns. */
export function refuseSplit(
  { layout, regression, noise }: Pick<Method, 'layout' | 'regression' | 'noise'>,
  { parties }: ColumnsAt,
): void {
  if (noise !== undefined) {
    throw refused(
      'the study is private, and parties with different columns cannot bound a whole row',
      'leave out privacy or the partition',
    );
  }
  if (
    regression === undefined ||
    !isLinear(layout) ||
    layout.family !== undefined ||
    layout.estimate !== undefined
  ) {
    throw refused(
      'with a partition only sums of products can be made, and this method needs whole rows at one place',
      'take a linear regression or a discriminant analysis',
    );
  }
  if (layout.weightScale !== null) {
    throw refused(
      'a weight multiplies the columns of every party, and only one party has it',
      'leave out the weights',
    );
  }
  if (layout.arithmetic !== 'exact' || layout.grid > 44) {
    throw refused(
      'with a partition the arithmetic is exact, on a grid of 22 or 44 bits',
      'take arithmetic "exact", and leave out the grid',
    );
  }
  if (regression.design.variables.includes(SITE_COLUMN)) {
    throw refused(
      'with a partition the parties are no groups of rows, so they have no effects',
      `leave ${SITE_COLUMN} out of the formula`,
    );
  }
  const owners = new Set(columnOwners(regression.design, parties));
  const idle = Object.keys(parties).find((party) => !owners.has(party));
  if (idle === undefined) return;
  throw refused(
    `the formula uses no column of ${idle}`,
    `leave ${idle} out of the partition, or use one of its columns`,
  );
}

function refused(problem: string, remedy: string): DataError {
  return new DataError(problem, {}, remedy);
}
