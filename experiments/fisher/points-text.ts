import { type ResultSpread, resultSpread } from '../paper-result.ts';

/** Points of accuracy with a sign. */
export function signedPoints(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`;
}

/** An accuracy in % as text. */
export function percentText(value: number): string {
  return value.toFixed(1);
}

/** Accuracies between 0 and 1 as a spread in %. */
export function percentSpread(shares: readonly number[]): ResultSpread {
  return resultSpread(shares.map((share) => 100 * share));
}

/** The mean of accuracies between 0 and 1, in %. */
export function meanPercent(shares: readonly number[]): number {
  return percentSpread(shares).mean;
}
