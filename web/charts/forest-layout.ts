import { extent } from '../../src/export/svg/scale.ts';
import { intervalText, isGiven } from './chart-text.tsx';
import { measured, widest } from './room.ts';

/** An estimate with its interval; without one, a point. */
export interface ForestRow {
  readonly label: string;
  /** NaN where there is none. */
  readonly estimate: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
  /** Drawn as a diamond, with a line through all rows: what the others add up to. */
  readonly summary?: boolean | undefined;
  /** Its share of the whole, from 0 to 1, as the area of its point. */
  readonly size?: number | undefined;
  readonly note?: string | undefined;
}

/** Where the parts of a row stand; heights are from the top of the row. */
export interface ForestLayout {
  readonly rowHeight: number;
  readonly plot: readonly [from: number, to: number];
  /** The part of a row that belongs to the picture. */
  readonly band: readonly [top: number, bottom: number];
  readonly label: { readonly y: number; readonly width: number };
  readonly value: { readonly x: number; readonly y: number; readonly anchor: 'start' | 'end' };
}

const GAP = 14;
const LINE = 16;
/** A few rows have more air than many. */
const FEW = 12;
/** From here on the numbers have a column of their own. */
const WIDE = 520;
const LEAST_PLOT = 150;

/** The numbers of a row as they are written beside or under its label. */
export function valueText({ estimate, low, high, note }: ForestRow): string {
  return isGiven(estimate) ? intervalText(estimate, low, high) : (note ?? 'not available');
}

/** Label, picture and numbers beside each other where there is room; else the picture below its words. */
export function forestLayout(rows: readonly ForestRow[], width: number): ForestLayout {
  const values = widest(rows.map(valueText));
  const labels = widest(rows.map(({ label }) => label));
  const labelWidth = Math.min(
    labels,
    Math.max(0.24 * width, width - values - 2 * GAP - 0.4 * width),
  );
  const plot = [labelWidth + GAP, width - values - GAP] as const;
  if (width >= WIDE && plot[1] - plot[0] >= LEAST_PLOT) {
    const rowHeight = rows.length <= FEW ? 30 : 26;
    const y = rowHeight / 2 + 4;
    return {
      rowHeight,
      plot,
      band: [0, rowHeight],
      label: { y, width: labelWidth },
      value: { x: width, y, anchor: 'end' },
    };
  }
  const together = rows.every(
    (row) => measured(row.label) + measured(valueText(row)) + GAP <= width,
  );
  const words = together ? LINE : 2 * LINE;
  return {
    rowHeight: words + 24,
    plot: [0, width],
    band: [words + 2, words + 18],
    label: { y: 12, width },
    value: together ? { x: width, y: 12, anchor: 'end' } : { x: 0, y: 12 + LINE, anchor: 'start' },
  };
}

/** All intervals, unless a few very wide ones would hide the rest: those end in arrows. */
export function forestWindow(
  rows: readonly ForestRow[],
  reference: number,
): readonly [number, number] {
  const reachOf = ({ estimate, low, high }: ForestRow) =>
    isGiven(low) && isGiven(high) ? Math.max(high - estimate, estimate - low) : 0;
  const drawn = rows.filter(({ estimate }) => isGiven(estimate));
  const all = extent([
    reference,
    ...drawn.flatMap(({ estimate, low = estimate, high = estimate }) => [estimate, low, high]),
  ]);
  const reaches = drawn
    .map(reachOf)
    .filter((reach) => reach > 0)
    .sort((a, b) => a - b);
  const usual = 6 * (reaches[Math.floor((reaches.length - 1) / 2)] ?? Number.POSITIVE_INFINITY);
  const usualRows = drawn.filter((row) => reachOf(row) <= usual);
  // More than a few are no exceptions: then the window is for all of them.
  if (drawn.length - usualRows.length > drawn.length / 4) return all;
  const near = extent([
    reference,
    ...usualRows.flatMap(({ estimate, low = estimate, high = estimate }) => [estimate, low, high]),
  ]);
  return near[1] > near[0] && all[1] - all[0] > 2.5 * (near[1] - near[0]) ? near : all;
}

/** Whether the interval leaves out the reference; undefined without an interval. */
export function leavesOut({ low, high }: ForestRow, reference: number): boolean | undefined {
  return isGiven(low) && isGiven(high) ? low > reference || high < reference : undefined;
}
