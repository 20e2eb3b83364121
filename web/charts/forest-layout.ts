import { extent } from '../../src/export/svg/scale.ts';
import { intervalText, isPresent } from './chart-text.tsx';
import { measured, widest } from './space.ts';

/** An estimate with its interval; without one, a point. */
export interface ForestRow {
  readonly label: string;
  /** NaN if there is none. */
  readonly estimate: number;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
  /** The summary of the other rows: drawn as a diamond, with a line through all rows. */
  readonly summary?: boolean | undefined;
  /** Its share of the whole, from 0 to 1, as the area of its point. */
  readonly size?: number | undefined;
  readonly note?: string | undefined;
}

/** Positions of the parts of a row; heights are from the top of the row. */
export interface ForestLayout {
  readonly rowHeight: number;
  readonly plot: readonly [from: number, to: number];
  /** The part of a row with the picture. */
  readonly band: readonly [top: number, bottom: number];
  readonly label: { readonly y: number; readonly width: number };
  readonly value: { readonly x: number; readonly y: number; readonly anchor: 'start' | 'end' };
}

const GAP = 14;
const LINE = 16;
/** Up to this number, rows are taller. */
const FEW = 12;
/** Width from which the numbers have their own column. */
const WIDE = 520;
const LEAST_PLOT = 150;

/** The numbers of a row, beside or under its label. */
export function valueText({ estimate, low, high, note }: ForestRow): string {
  return isPresent(estimate) ? intervalText(estimate, low, high) : (note ?? 'not available');
}

/** Label, picture and numbers side by side if there is space; else the picture below the text. */
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
  const textHeight = together ? LINE : 2 * LINE;
  return {
    rowHeight: textHeight + 24,
    plot: [0, width],
    band: [textHeight + 2, textHeight + 18],
    label: { y: 12, width },
    value: together ? { x: width, y: 12, anchor: 'end' } : { x: 0, y: 12 + LINE, anchor: 'start' },
  };
}

/** The range of all intervals. If a few are very wide, the range of the others; the wide ones end in arrows. */
export function forestWindow(
  rows: readonly ForestRow[],
  reference: number,
): readonly [number, number] {
  const reachOf = ({ estimate, low, high }: ForestRow) =>
    isPresent(low) && isPresent(high) ? Math.max(high - estimate, estimate - low) : 0;
  const drawn = rows.filter(({ estimate }) => isPresent(estimate));
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
  // If more than a quarter are wide, the window includes all.
  if (drawn.length - usualRows.length > drawn.length / 4) return all;
  const near = extent([
    reference,
    ...usualRows.flatMap(({ estimate, low = estimate, high = estimate }) => [estimate, low, high]),
  ]);
  return near[1] > near[0] && all[1] - all[0] > 2.5 * (near[1] - near[0]) ? near : all;
}

/** Whether the interval excludes the reference; undefined without an interval. */
export function excludesReference(
  { low, high }: ForestRow,
  reference: number,
): boolean | undefined {
  return isPresent(low) && isPresent(high) ? low > reference || high < reference : undefined;
}
