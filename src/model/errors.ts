import {
  normalQuantile,
  normalTail,
  normalTailLog,
  studentQuantile,
  studentTail,
  studentTailLog,
} from '../numeric/distributions.ts';
import type { Solution } from '../solve/solution.ts';
import { penalisedVariances, unscaledCovariance } from './covariance.ts';
import type { CoefficientErrors, Fit } from './fit.ts';

/** Standard errors without covariances, which cost less; NaN where one is unknown. */
export interface StandardErrors {
  readonly kind: CoefficientErrors['kind'];
  readonly errors: Float64Array;
  readonly freedom: number;
}

/** Whether a penalty shrank the coefficients. They are then biased, and tests of them do not hold. */
export function isPenalised(fit: Fit): boolean {
  return fit.ridge > 0 || fit.chosen !== undefined || fit.lasso !== undefined;
}

/**
 * The errors stored in a fit, or the classical ones: σ²(XᵀWX)⁻¹ with n − p degrees of freedom, and under a penalty
 * σ²(S + P)⁻¹S(S + P)⁻¹ with n − edf. Undefined without a factor, for too many columns, or without degrees of freedom.
 */
export function errorsOf(fit: Fit, response: number): CoefficientErrors | undefined {
  const given = fit.errors?.[response];
  if (given !== undefined) return given;
  const { kind, freedom, variance } = oneVariance(fit, response);
  const unscaled = freedom > 0 ? unscaledCovariance(fit) : undefined;
  if (unscaled === undefined) return undefined;
  return { kind, covariance: unscaled.map((entry) => entry * variance), freedom };
}

/** Square roots of the diagonal of `errorsOf`, in O(p²) and for any number of columns. */
export function standardErrors(fit: Fit, response: number): StandardErrors | undefined {
  const model = fit.models[response];
  const given = fit.errors?.[response];
  if (given !== undefined) {
    const { kind, covariance, freedom } = given;
    const width = model.terms.length;
    const errors = Float64Array.from(model.terms, (_, k) => Math.sqrt(covariance[k * width + k]));
    return { kind, errors, freedom };
  }
  const { kind, freedom, variance } = oneVariance(fit, response);
  if (!(freedom > 0) || fit.solution.factored === undefined) return undefined;
  const sigma = Math.sqrt(variance);
  const unscaled = kind === 'classical' ? model.unscaledVariances : sharedVariances(fit);
  return { kind, errors: unscaled.map((entry) => sigma * Math.sqrt(entry)), freedom };
}

/** By solution, since all responses of a fit have the same. */
const knownVariances = new WeakMap<Solution, Float64Array>();

function sharedVariances(fit: Fit): Float64Array {
  const variances = knownVariances.get(fit.solution) ?? penalisedVariances(fit);
  knownVariances.set(fit.solution, variances);
  return variances;
}

function oneVariance(
  fit: Fit,
  response: number,
): { kind: CoefficientErrors['kind']; freedom: number; variance: number } {
  const model = fit.models[response];
  const penalised = fit.penalty.some((p) => p > 0);
  const slopes = penalised ? model.effectiveSlopes : model.terms.length - (model.intercept ? 1 : 0);
  const freedom = model.rows - slopes - (model.intercept ? 1 : 0);
  return {
    kind: penalised ? 'ignoring-bias' : 'classical',
    freedom,
    variance: model.residualSumOfSquares / freedom,
  };
}

/** P(|T| ≥ |t|). */
export function twoSided(statistic: number, freedom: number): number {
  return freedom === Number.POSITIVE_INFINITY
    ? normalTail(statistic)
    : studentTail(statistic, freedom);
}

/** ln P(|T| ≥ |t|). */
export function twoSidedLog(statistic: number, freedom: number): number {
  return freedom === Number.POSITIVE_INFINITY
    ? normalTailLog(statistic)
    : studentTailLog(statistic, freedom);
}

/** The quantile of t, or of the normal: an interval is the estimate ± this many standard errors. */
export function criticalValue(confidence: number, freedom: number): number {
  const p = (1 + confidence) / 2;
  return freedom === Number.POSITIVE_INFINITY ? normalQuantile(p) : studentQuantile(p, freedom);
}
