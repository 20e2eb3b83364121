import type { LinearLayout } from '../statistic/linear-layout.ts';

/** A term of a design: its label, and the indices of its columns among the design's. */
export interface IndicatedTerm {
  readonly label: string;
  readonly columns: readonly number[];
}

/** The level of a category that has no column: its sums follow from those of the other levels and the number of rows. */
export interface GroupBaseline {
  readonly name: string;
  readonly term: string;
  /** The layout's columns that indicate the other levels. */
  readonly columns: readonly number[];
}

/** The baselines of terms with two or more indicators. With one indicator the baseline is where it is 0. */
export function baselinesOf(
  layout: LinearLayout,
  terms: readonly IndicatedTerm[],
): GroupBaseline[] {
  const offset = layout.intercept ? 0 : 1;
  return terms
    .map(({ label, columns }) => ({
      name: `the baseline of ${label}`,
      term: label,
      columns: columns.map((column) => column + offset),
    }))
    .filter(({ columns }) => columns.length > 1 && columns.every((k) => isIndicator(layout, k)));
}

/** Whether the layout keeps a column as 0 and 1. */
export function isIndicator({ references }: LinearLayout, column: number): boolean {
  const { center, scale } = references[column];
  return center === 0 && scale === 1;
}
