import type { Interval } from './interval.ts';
import type { Reference } from './reference.ts';

/** The unit a column is counted in where rows are private: (v − center) / scale, any scale above 0, none of it from rows. */
export type PublicUnit = Reference;

/** The unit of the constant, and of an indicator in a model without intercept. */
export const plainUnit: PublicUnit = { center: 0, scale: 1 };

/** An indicator as −1 and 1. */
export const indicatorUnit: PublicUnit = { center: 0.5, scale: 0.5 };

/** A standard deviation from the middle of an interval: the guess the codebook gives, or a sixth of the width. */
export function centredUnit(interval: Interval, sd: number | undefined): PublicUnit {
  // Adding 0 turns −0 into 0, which canonical JSON could not tell apart.
  return { center: middle(interval) + 0, scale: spread(interval, sd) || 1 };
}

/** A root mean square from 0, for models without intercept: of values with that deviation about the middle. */
export function originUnit(interval: Interval, sd: number | undefined): PublicUnit {
  const far = Math.abs(middle(interval));
  const deviation = spread(interval, sd);
  const larger = Math.max(far, deviation);
  const ratio = Math.min(far, deviation) / larger;
  return { center: 0, scale: larger * Math.sqrt(1 + ratio * ratio) || 1 };
}

function middle({ low, high }: Interval): number {
  return low / 2 + high / 2;
}

function spread({ low, high }: Interval, sd: number | undefined): number {
  return sd ?? (high / 2 - low / 2) / 3;
}
