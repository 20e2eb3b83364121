import type { ColumnFacts } from '../disclosure/column-facts.ts';
import { manyValued } from '../disclosure/row-facts.ts';
import { sidesOf, type WeightedFacts } from '../disclosure/weighted-facts.ts';
import type { AnswerCells } from './answer-cells.ts';
import { groupKey, sideKey, sidesKey } from './weighted-facts-plan.ts';

/** How rows with weights count, from the answers to the queries of facts; `summed` is the number of columns of the statistic. */
export function weightedFactsFrom(
  cells: AnswerCells,
  columns: readonly ColumnFacts[],
  summed: number,
): WeightedFacts {
  const number = (name: string) => cells.number(name) ?? 0;
  /** A sum and its two largest summands. */
  const set = (key: string): readonly number[] => {
    const first = number(`wfirst_${key}`);
    const several = number(`wfirsts_${key}`) > 1;
    return [number(`wsum_${key}`), first, several ? first : number(`wsecond_${key}`)];
  };
  const sides = sidesOf(columns).map((side) => ({
    ...side,
    key: sideKey(side.column, side.high),
  }));
  const many = manyValued(columns);
  return {
    sum: number('wsum'),
    squares: number('wsquares'),
    sides: Float64Array.from(sides.flatMap(({ key }) => set(key))),
    pairs: Float64Array.from(
      sides.flatMap((a, i) =>
        sides
          .slice(i + 1)
          // No row has both values of a column.
          .flatMap((b) => (a.column === b.column ? [0, 0, 0] : set(sidesKey(a.key, b.key)))),
      ),
    ),
    groups: Float64Array.from(
      sides.flatMap(({ key }) => many.flatMap((c) => set(groupKey(key, c)))),
    ),
    shares: Float64Array.from({ length: summed }, (_, k) => number(`wshare_${k}`)),
  };
}
