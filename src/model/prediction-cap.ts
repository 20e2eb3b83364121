import type { Report } from './report.ts';

/** Smallest and largest value of a prediction. */
export type Cap = readonly [number, number];

/** The public range of the response, which no prediction of a private model leaves; undefined for other models. */
export function predictionCap({ privacy }: Pick<Report, 'privacy'>): Cap | undefined {
  return privacy?.range;
}

export function capped(value: number, [low, high]: Cap): number {
  return Math.min(high, Math.max(low, value));
}
