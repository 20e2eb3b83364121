import type { Column, NumberColumn } from '../study/codebook.ts';
import type { Interval } from './interval.ts';

/** The public frame of a column: a site sends (v − center) / scale, which lies in [−1, 1]. */
export interface Reference {
  readonly center: number;
  /** A power of two, so that dividing by it is exact. */
  readonly scale: number;
}

/** The frame of indicators and the intercept: their sums are counts. */
export const unitReference: Reference = { center: 0, scale: 1 };

/** Beyond these a scale, its reciprocal or its grid would leave the floating-point range. */
const smallestScale = 2 ** -900;
const largestBound = 2 ** 1000;

/** Whether a frame can hold the interval: both bounds finite, in order, and not absurdly large. */
export function isFramable({ low, high }: Interval): boolean {
  return -largestBound <= low && low <= high && high <= largestBound;
}

/** The smallest power of two not below a positive number. */
export function powerOfTwoAbove(value: number): number {
  if (value <= smallestScale) return smallestScale;
  // The engine's log2 may be off by one either way; the loops correct that.
  let power = 2 ** Math.floor(Math.log2(value));
  while (power / 2 >= value) power /= 2;
  while (power < value) power *= 2;
  return power;
}

/**
 * The tightest frame around an interval: half its width rounded up to a power of two,
 * its middle rounded to an eighth of that.
 */
export function centeredReference(interval: Interval): Reference {
  const { low, high } = framable(interval);
  // Adding 0 turns −0 into 0; canonical JSON has only one zero.
  if (low === high) {
    return { center: low + 0, scale: powerOfTwoAbove(Math.abs(low) * 2 ** -20 || 1) };
  }
  let scale = powerOfTwoAbove(high / 2 - low / 2);
  for (;;) {
    const step = scale / 8;
    const center = Math.round((low / 2 + high / 2) / step) * step + 0;
    if (high - center <= scale && center - low <= scale) return { center, scale };
    scale *= 2;
  }
}

/** The frame around 0 that holds an interval: the only kind a model without intercept allows. */
export function originReference(interval: Interval): Reference {
  const { low, high } = framable(interval);
  return { center: 0, scale: powerOfTwoAbove(Math.max(Math.abs(low), Math.abs(high)) || 1) };
}

function framable(interval: Interval): Interval {
  if (isFramable(interval)) return interval;
  throw new RangeError(`no reference for values from ${interval.low} to ${interval.high}`);
}

/** The values a number column may hold, by its range or else its reference; undefined without either. */
export function columnInterval(column: NumberColumn): Interval | undefined {
  if (column.range !== undefined) return { low: column.range[0], high: column.range[1] };
  if (column.scale === undefined) return undefined;
  const center = column.center ?? 0;
  const scale = powerOfTwoAbove(column.scale);
  return { low: center - scale, high: center + scale };
}

/** The frame stated in the codebook, its scale rounded up to a power of two; undefined if not stated. */
export function statedReference(column: NumberColumn): Reference | undefined {
  if (column.scale === undefined && column.center === undefined) return undefined;
  const interval = columnInterval(column);
  if (interval === undefined) return undefined;
  const center = column.center ?? centeredReference(interval).center;
  const reach = Math.max(interval.high - center, center - interval.low);
  return { center, scale: powerOfTwoAbove(column.scale ?? reach) };
}

/** The column with the range that a reader must enforce: no wider than its reference allows. */
export function withAllowedRange(column: Column): Column {
  if (column.type !== 'number') return column;
  const interval = columnInterval(column);
  const stated = statedReference(column);
  if (interval === undefined || stated === undefined) return column;
  const low = Math.max(interval.low, stated.center - stated.scale);
  const high = Math.min(interval.high, stated.center + stated.scale);
  return { ...column, range: [low, high] };
}
