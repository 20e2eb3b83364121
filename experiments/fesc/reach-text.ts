import type { Reach, SimulatedEstimate } from './estimates.ts';
import { gammas } from './streams.ts';

/** Reached means: at most this multiple of the centralised error. */
export const reachedLimit = 1.05;

/** `1.17 (1.14–1.20)`, or that it was not reached; in brackets the γ of the 95 % limits, if they differ. */
export function reachText({ gamma, from, to }: Reach): string {
  const most = gammas.at(-1)!;
  const limits = `(${from?.toFixed(2)}–${to === undefined ? `above ${most}` : to.toFixed(2)})`;
  if (gamma === undefined) {
    return `not reached up to ${most}${from === undefined ? '' : ` ${limits}`}`;
  }
  if (from === to) return gamma === gammas[0] ? `${gamma} or less` : gamma.toFixed(2);
  return `${gamma.toFixed(2)} ${limits}`;
}

/** `1.20 (1.18–1.22)`. */
export function simulatedEstimateText({ value, low, high }: SimulatedEstimate): string {
  const digits = (x: number) => (x < 10 ? x.toFixed(3) : x.toFixed(1));
  if (low === undefined || high === undefined) return digits(value);
  return `${digits(value)} (${digits(low)}–${digits(high)})`;
}
