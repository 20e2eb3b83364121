import type { Expression } from '../study/formula-expression.ts';
import { comparisonExpression, productExpression } from './category-expression.ts';
import type { Interval } from './interval.ts';

/** Refuses breaks that leave values of the codebook's range without a level; R drops such rows without a word. */
export function refuseUncovered(
  { low, high }: Interval,
  first: number,
  last: number,
  right: boolean,
  lowest: boolean,
  refuse: (problem: string, remedy: string) => Error,
): void {
  // An interval that was computed is a little wider than its values; a row beyond the breaks is refused anyway.
  const slack = 1e-9 * Math.max(Math.abs(low), Math.abs(high));
  const isBeyond = low < first - slack || high > last + slack;
  const below = low < first - slack || (low <= first + slack && right && !lowest);
  const above = high > last + slack || (high >= last - slack && !right && !lowest);
  if (!below && !above) return;
  const isEdge = !isBeyond;
  throw refuse(
    `the breaks leave out values ${below ? `${isEdge ? 'at' : 'at or below'} ${first}` : `${isEdge ? 'at' : 'at or above'} ${last}`}, which the codebook allows: it says ${low} to ${high}`,
    isEdge
      ? 'write include.lowest = TRUE'
      : 'begin the breaks with -Inf and end them with Inf, or narrow the range in the codebook',
  );
}

/** 1 where a value is between the first and the last break; undefined if every value is. */
export function insideBreaks(
  x: Expression,
  first: number,
  last: number,
  right: boolean,
  lowest: boolean,
): Expression | undefined {
  const parts = [
    ...(Number.isFinite(first)
      ? [comparisonExpression(x, right && !lowest ? '>' : '>=', first)]
      : []),
    ...(Number.isFinite(last) ? [comparisonExpression(x, right || lowest ? '<=' : '<', last)] : []),
  ];
  return parts.length === 0 ? undefined : parts.reduce(productExpression);
}
