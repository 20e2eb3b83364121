import { gammas } from './streams.ts';

/** A value with its 95 % confidence limits; a single run has no limits. */
export interface SimulatedEstimate {
  readonly value: number;
  readonly low?: number;
  readonly high?: number;
}

/** Mean of independent runs. */
export function meanEstimate(values: readonly number[]): SimulatedEstimate {
  const value = average(values);
  return withLimits(
    value,
    values.map((x) => x - value),
    1,
  );
}

/** Mean of `above` over mean of `below`, with both from the same data in each run: limits by the delta method for pairs. */
export function ratioOfMeans(
  above: readonly number[],
  below: readonly number[],
): SimulatedEstimate {
  const divisor = average(below);
  const value = average(above) / divisor;
  return withLimits(
    value,
    above.map((x, r) => x - value * below[r]!),
    divisor,
  );
}

/** Quantile of sorted values, with linear interpolation (R's type 7). */
export function quantile(sorted: Float64Array, p: number): number {
  const at = p * (sorted.length - 1);
  const below = Math.floor(at);
  const next = Math.min(below + 1, sorted.length - 1);
  return sorted[below]! + (at - below) * (sorted[next]! - sorted[below]!);
}

/** The γ from which a curve of ratios stays below a limit, and the γ of its confidence limits. */
export interface Reach {
  /** Undefined if not reached up to the last γ. */
  readonly gamma: number | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/**
 * The smallest γ from which the ratio stays at or below `limit`, with linear interpolation between two γ of the paper. `from`
 * and `to` are the same for the lower and the upper confidence limits.
 */
export function reachOf(ratios: readonly SimulatedEstimate[], limit: number): Reach {
  return {
    gamma: crossing(
      ratios.map(({ value }) => value),
      limit,
    ),
    from: crossing(
      ratios.map(({ value, low }) => low ?? value),
      limit,
    ),
    to: crossing(
      ratios.map(({ value, high }) => high ?? value),
      limit,
    ),
  };
}

function crossing(ratios: readonly number[], limit: number): number | undefined {
  const last = ratios.findLastIndex((ratio) => !(ratio <= limit));
  if (last === ratios.length - 1) return undefined;
  if (last < 0) return gammas[0];
  const share = (ratios[last]! - limit) / (ratios[last]! - ratios[last + 1]!);
  return gammas[last]! + share * (gammas[last + 1]! - gammas[last]!);
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function withLimits(
  value: number,
  residuals: readonly number[],
  divisor: number,
): SimulatedEstimate {
  const count = residuals.length;
  if (count < 2) return { value };
  const variance = residuals.reduce((sum, x) => sum + x * x, 0) / (count - 1);
  const margin = (student95(count - 1) * Math.sqrt(variance / count)) / divisor;
  return { value, low: value - margin, high: value + margin };
}

const fewDegrees = [12.706204736, 4.30265273, 3.182446305];
/** Coefficients of Abramowitz & Stegun 26.7.5 at the 97.5 % quantile of the normal law, which is the last. */
const student95Terms = [1.5895340534, 2.5558496795, 2.8224986157, 2.3722712303, 1.959963984540054];

/** 97.5 % quantile of Student's law, to 0.04 %, in plain arithmetic, so that its bits are the same on every engine. */
export function student95(degrees: number): number {
  return fewDegrees[degrees - 1] ?? student95Terms.reduce((sum, term) => sum / degrees + term, 0);
}
