import type { Study } from '../study/study.ts';
import { publicRange } from './public-range.ts';

/** Smallest and largest value of a prediction. */
export type Cap = readonly [number, number];

/** The public range of the response, which no prediction of a private model leaves; undefined of other models. */
export function predictionCap(study: Study): Cap | undefined {
  return study.privacy ? publicRange(study) : undefined;
}

export function capped(value: number, [low, high]: Cap): number {
  return Math.min(high, Math.max(low, value));
}
