import type { Interval } from './interval.ts';
import type { Reference } from './reference.ts';

/** The unit of a column in private rows: (v − center) / scale, with any scale above 0, never taken from rows. */
export type PublicUnit = Reference;

/** The unit of the constant, and of an indicator in a model without intercept. */
export const plainUnit: PublicUnit = { center: 0, scale: 1 };

/** An indicator as −1 and 1. */
export const indicatorUnit: PublicUnit = { center: 0.5, scale: 0.5 };

/** What the codebook says about the location and spread of a column's values. */
export interface PublicGuess {
  readonly center?: number;
  readonly sd?: number;
}

/** An interval's width in standard deviations: three to either side. */
export const USUAL_UNITS = 6;
/** The same for a response without a stated centre: it may lie near an end, and values far out are clipped. */
export const CAUTIOUS_UNITS = 4;

/** Centre and standard deviation: as stated in the codebook, or the middle and a part of the width. */
export function centredUnit(
  interval: Interval,
  { center = middle(interval), sd }: PublicGuess,
  parts: number,
): PublicUnit {
  // Adding 0 turns −0 into 0; canonical JSON has only one zero.
  return { center: center + 0, scale: spread(interval, sd, parts) || 1 };
}

/** The root mean square about 0, for models without intercept, from the same centre and deviation. */
export function originUnit(
  interval: Interval,
  { center = middle(interval), sd }: PublicGuess,
  parts: number,
): PublicUnit {
  const far = Math.abs(center);
  const deviation = spread(interval, sd, parts);
  const larger = Math.max(far, deviation);
  const ratio = Math.min(far, deviation) / larger;
  return { center: 0, scale: larger * Math.sqrt(1 + ratio * ratio) || 1 };
}

function middle({ low, high }: Interval): number {
  return low / 2 + high / 2;
}

function spread({ low, high }: Interval, sd: number | undefined, parts: number): number {
  return sd ?? (high / 2 - low / 2) / (parts / 2);
}
