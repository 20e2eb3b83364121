import {
  type DoubleDouble,
  dd,
  ddDivide,
  ddExp,
  ddLog,
  ddMultiply,
  ddPower,
  ddSqrt,
} from '../numeric/double-double.ts';

/** All numbers from low to high. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** Relative widening of every result: far above rounding errors, too small to matter otherwise. */
const margin = 1e-12;

function outward(low: number, high: number): Interval {
  return { low: low - Math.abs(low) * margin, high: high + Math.abs(high) * margin };
}

function spanned(bounds: readonly DoubleDouble[]): Interval {
  const values = bounds.map((bound) => bound.hi);
  return outward(Math.min(...values), Math.max(...values));
}

/** The interval of one number. */
export function pointInterval(value: number): Interval {
  return { low: value, high: value };
}

export function contains(a: Interval, value: number): boolean {
  return a.low <= value && value <= a.high;
}

/** The smallest interval around both. */
export function hull(a: Interval, b: Interval): Interval {
  return { low: Math.min(a.low, b.low), high: Math.max(a.high, b.high) };
}

export function addIntervals(a: Interval, b: Interval): Interval {
  return outward(a.low + b.low, a.high + b.high);
}

export function negateInterval(a: Interval): Interval {
  return { low: 0 - a.high, high: 0 - a.low };
}

export function multiplyIntervals(a: Interval, b: Interval): Interval {
  const products = [a.low, a.high].flatMap((u) =>
    [b.low, b.high].map((v) => ddMultiply(dd(u), dd(v))),
  );
  return spanned(products);
}

/** 1/a; undefined if a contains 0. */
export function invertInterval(a: Interval): Interval | undefined {
  if (contains(a, 0)) return undefined;
  return spanned([ddDivide(dd(1), dd(a.low)), ddDivide(dd(1), dd(a.high))]);
}

/** aᵏ for a whole k ≥ 0; an even power of an interval around 0 starts at 0. */
export function powerInterval(a: Interval, k: number): Interval {
  if (k === 0) return pointInterval(1);
  const bounds = [ddPower(dd(a.low), k), ddPower(dd(a.high), k)];
  if (k % 2 === 0 && contains(a, 0)) bounds.push(dd(0));
  return spanned(bounds);
}

export function absoluteInterval(a: Interval): Interval {
  const [low, high] = [Math.abs(a.low), Math.abs(a.high)];
  return { low: contains(a, 0) ? 0 : Math.min(low, high), high: Math.max(low, high) };
}

export function expInterval(a: Interval): Interval {
  return spanned([ddExp(dd(a.low)), ddExp(dd(a.high))]);
}

/** ln a; undefined if a reaches 0. */
export function logInterval(a: Interval): Interval | undefined {
  if (!(a.low > 0)) return undefined;
  return spanned([ddLog(dd(a.low)), ddLog(dd(a.high))]);
}

/** √a; undefined if a reaches below 0 by more than the widening of earlier steps. */
export function sqrtInterval(a: Interval): Interval | undefined {
  const slack = 1000 * margin * Math.abs(a.high);
  if (!(a.low >= -slack && a.high >= 0)) return undefined;
  return spanned([ddSqrt(dd(Math.max(0, a.low))), ddSqrt(dd(a.high))]);
}

/** a + b for a number b. */
export function shiftedInterval(a: Interval, b: number): Interval {
  return addIntervals(a, pointInterval(b));
}

/** f(a) for a step function that never falls. */
export function steppedInterval(a: Interval, step: (value: number) => number): Interval {
  return outward(step(a.low), step(a.high));
}

/** The numbers in both; undefined if there are none. */
export function meet(a: Interval, b: Interval): Interval | undefined {
  const [low, high] = [Math.max(a.low, b.low), Math.min(a.high, b.high)];
  return low <= high ? { low, high } : undefined;
}
