import type { Interval } from './interval.ts';
import { centeredReference, originReference, type Reference } from './reference.ts';

/** The frame of a mapped column. */
export function mappedReference(interval: Interval, intercept: boolean): Reference {
  const frame = intercept ? centeredReference(interval) : originReference(interval);
  // The disclosure rules take centre 0 and scale 1 for an indicator, which this is not.
  return frame.center === 0 && frame.scale === 1 ? { center: 0, scale: 2 } : frame;
}
