import type { Interval } from './interval.ts';
import type { Reference } from './reference.ts';

/** The unit a column is counted in where rows are private: (v − center) / scale, any scale above 0, none of it from rows. */
export type PublicUnit = Reference;

/** The unit of the constant, and of an indicator in a model without intercept. */
export const plainUnit: PublicUnit = { center: 0, scale: 1 };

/** An indicator as −1 and 1. */
export const indicatorUnit: PublicUnit = { center: 0.5, scale: 0.5 };

/** What the codebook says of a column in public: where its values lie, and how far they spread. */
export interface PublicGuess {
  readonly center?: number;
  readonly sd?: number;
}

/** Parts of the width of an interval that its values are taken to spread over: three deviations to either side. */
export const USUAL_PARTS = 6;
/** Of a response whose centre nobody has stated: it may lie near an end, and what lies far out is clipped. */
export const CAUTIOUS_PARTS = 4;

/** A standard deviation about the centre: as the codebook guesses them, or the middle and a part of the width. */
export function centredUnit(
  interval: Interval,
  { center = middle(interval), sd }: PublicGuess,
  parts: number,
): PublicUnit {
  // Adding 0 turns −0 into 0, which canonical JSON could not tell apart.
  return { center: center + 0, scale: spread(interval, sd, parts) || 1 };
}

/** A root mean square from 0, for models without intercept: of values with that deviation about their centre. */
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
