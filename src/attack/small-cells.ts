import type { CellColumns } from './site-rows.ts';
import type { TwoValued } from './two-valued.ts';

/** What the two-way tables in a statistic reveal. */
export interface SmallCells {
  /** Columns that divide rows into groups: two-valued columns and categories. */
  readonly columns: number;
  /** Their groups of one to four rows. */
  readonly levels: number;
  /** Pairs of such columns; each is a two-way table in the statistic. */
  readonly tables: number;
  /** Cells of one to four rows, over all tables. */
  readonly cells: number;
  /** The tables that have such cells, the worst first. */
  readonly pairs: readonly {
    readonly columns: readonly [string, string];
    readonly cells: number;
  }[];
  /** Groups of one row: every sum over such a group is a value of that row. */
  readonly alone: number;
}

/** Fewest rows of a cell that is not small. */
export const ENOUGH_ROWS = 5;

/** A division of the rows into groups; each group is a set of bits, or the rows outside all others. */
interface Sorting {
  readonly name: string;
  /** Weights over (1, bit, bit, …) whose product with a row is 1 in the group and 0 outside. */
  readonly groups: readonly Float64Array[];
}

/** Counts the small cells of all two-way tables that `counts`, full and row-major over (1, bit, …), contains. */
export function smallCells(
  counts: Float64Array,
  bits: readonly TwoValued[],
  cells: readonly CellColumns[],
): SmallCells {
  const width = bits.length + 1;
  const sortings = cells.flatMap((cell) => sortingOf(cell, counts, bits) ?? []);
  const product = (a: Float64Array, b: Float64Array): number => {
    let sum = 0;
    for (let i = 0; i < width; i++) {
      if (a[i] === 0) continue;
      for (let j = 0; j < width; j++) sum += a[i] * b[j] * counts[i * width + j];
    }
    return sum;
  };
  const isSmall = (count: number) => count > 0 && count < ENOUGH_ROWS;
  const pairs = sortings.flatMap((first, k) =>
    sortings.slice(k + 1).map((second) => {
      const table = first.groups.flatMap((a) => second.groups.map((b) => product(a, b)));
      return {
        columns: [first.name, second.name] as const,
        cells: table.filter(isSmall).length,
      };
    }),
  );
  const sizes = sortings.flatMap(({ groups }) => groups.map((group) => product(group, group)));
  return {
    columns: sortings.length,
    levels: sizes.filter(isSmall).length,
    tables: pairs.length,
    cells: pairs.reduce((sum, pair) => sum + pair.cells, 0),
    pairs: pairs.filter((pair) => pair.cells > 0).sort((a, b) => b.cells - a.cells),
    alone: sizes.filter((size) => size === 1).length,
  };
}

function sortingOf(
  { name, columns }: CellColumns,
  counts: Float64Array,
  bits: readonly TwoValued[],
): Sorting | undefined {
  const width = bits.length + 1;
  const places = columns.map((column) => 1 + bits.findIndex((bit) => bit.column === column));
  if (places.length === 0 || places.includes(0)) return undefined;
  const groups = places.map((place) => {
    const weights = new Float64Array(width);
    weights[place] = 1;
    return weights;
  });
  const inGroups = places.reduce((sum, place) => sum + counts[place], 0);
  if (inGroups === counts[0]) return { name, groups };
  const others = new Float64Array(width);
  others[0] = 1;
  for (const place of places) others[place] = -1;
  return { name, groups: [...groups, others] };
}
