import {
  normalQuantile,
  normalTail,
  studentQuantile,
  studentTail,
} from '../numeric/distributions.ts';
import { unscaledCovariance } from './covariance.ts';
import type { Fit } from './fit.ts';

/** How sure the coefficients of one response are, and under which assumption. */
export interface CoefficientErrors {
  readonly kind: 'classical' | 'clustered' | 'ignoring-bias';
  /** Var(b) in the user's units, row-major over the model's terms. */
  readonly covariance: Float64Array;
  /** Degrees of freedom of t; infinite where the normal is meant. */
  readonly freedom: number;
}

/**
 * The errors a fit carries, or those of one variance for all rows: σ²(XᵀWX)⁻¹ with n − p degrees of freedom, and under a
 * penalty σ²(S + P)⁻¹S(S + P)⁻¹ with n − edf. Undefined where nothing was factored or no row is left over.
 */
export function errorsOf(fit: Fit, response: number): CoefficientErrors | undefined {
  const given = fit.errors?.[response];
  if (given !== undefined) return given;
  const model = fit.models[response];
  const freedom = model.rows - model.effectiveSlopes - (model.intercept ? 1 : 0);
  const unscaled = freedom > 0 ? unscaledCovariance(fit) : undefined;
  if (unscaled === undefined) return undefined;
  const variance = model.residualSumOfSquares / freedom;
  return {
    kind: fit.penalty.some((p) => p > 0) ? 'ignoring-bias' : 'classical',
    covariance: unscaled.map((entry) => entry * variance),
    freedom,
  };
}

/** P(|T| ≥ |t|). */
export function twoSided(statistic: number, freedom: number): number {
  return freedom === Number.POSITIVE_INFINITY
    ? normalTail(statistic)
    : studentTail(statistic, freedom);
}

/** Standard errors that an interval of this confidence reaches to either side. */
export function reach(confidence: number, freedom: number): number {
  const p = (1 + confidence) / 2;
  return freedom === Number.POSITIVE_INFINITY ? normalQuantile(p) : studentQuantile(p, freedom);
}
