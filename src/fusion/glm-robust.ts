import { scoreMove } from '../between-sites/score-move.ts';
import type { Failure } from '../failure.ts';
import type { CoefficientErrors, Fit } from '../model/fit.ts';
import { dd } from '../numeric/double-double.ts';
import { wordsOf } from '../statistic/layout.ts';
import {
  fractionBitsOf,
  linearShape,
  packedIndex,
  predictorsOf,
} from '../statistic/linear-layout.ts';
import { ringDoubleDouble } from '../statistic/ring.ts';
import { findSegment } from '../statistic/segments.ts';

/**
 * Errors that hold where the variance of a row is not that of the family: H⁻¹(Σ s²xxᵀ)H⁻¹ with the rows' scores s = w(y − μ)
 * at the coefficients the round started from, as sandwich::vcovHC; HC1 multiplies by n/(n − p). Undefined where the sites have
 * not sent the squares of their scores.
 */
export function robustErrors(
  fit: Fit,
  kind: 'HC0' | 'HC1',
): CoefficientErrors | Failure | undefined {
  const { total, models, solution } = fit;
  const { layout, values } = total;
  const found = findSegment(linearShape(layout), 'squares of the scores');
  if (found === undefined || solution.factored === undefined) return undefined;
  const [{ rows, terms }] = models;
  if (kind === 'HC1' && !(rows > terms.length)) {
    return { problem: 'no row is left over', remedy: 'use fewer terms, or wait for more rows' };
  }
  const factor = kind === 'HC0' ? 1 : rows / (rows - terms.length);
  const width = predictorsOf(layout);
  const bits = fractionBitsOf(layout);
  const square = (i: number, j: number) =>
    ringDoubleDouble(values, wordsOf(layout), found.start + packedIndex(width, i, j), bits);
  // A move is linear in the score: moved once by column, then once by row.
  const once = Array.from({ length: width }, (_, i) =>
    scoreMove(fit, 0, square(i, 0), (column) => square(i, column + 1)),
  );
  const covariance = new Float64Array(terms.length ** 2);
  terms.forEach((_, k) => {
    const moved = scoreMove(fit, 0, dd(once[0][k]), (column) => dd(once[column + 1][k]));
    covariance.set(
      moved.map((value) => value * factor),
      k * terms.length,
    );
  });
  return { kind, covariance, freedom: Number.POSITIVE_INFINITY };
}
