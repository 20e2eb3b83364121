import { type DdMatrix, ddArray, ddDot } from '../numeric/dd-matrix.ts';
import { largestEigenvalue } from '../numeric/largest-eigenvalue.ts';
import { type SymmetricProduct, symmetricProduct } from '../numeric/symmetric-product.ts';
import { scaledProduct } from '../solve/centred-condition.ts';
import type { NormalEquations } from '../solve/normal-equations.ts';

/** Relative error of the eigenvalues. */
const TOLERANCE = 1e-12;
/** The same for wide designs, whose every step is a pass over megabytes: eight digits of a number that is read for its size. */
const WIDE = { columns: 1500, tolerance: 1e-8 };

/**
 * Largest over smallest singular value of the design as the user wrote it, the intercept included,
 * with every column scaled to unit length (Belsley, Kuh & Welsch 1980, §3.2). Both ends of the
 * spectrum are taken from the top of a matrix, of XᵀX and of its inverse, so neither is lost.
 */
export function conditionNumber(
  equations: NormalEquations,
  kept: readonly number[],
  inverse: DdMatrix,
): number {
  const { layout, matrix, equilibration, means, weightSum } = equations;
  const rank = kept.length;
  const first = layout.intercept ? 1 : 0;
  if (rank + first === 0) return 1;
  const weightScale = layout.weightScale ?? 1;
  // Per kept column, in equilibrated units: √W·mean, and the length of the uncentred column.
  const drift = ddArray(rank);
  const lengths = Float64Array.from(kept, (column, k) => {
    const { center, scale } = layout.references[column + 1];
    const mean = first * (center + scale * means.hi[column]);
    drift.hi[k] = (mean * equilibration[column] * Math.sqrt(weightSum)) / (scale * weightScale);
    return Math.sqrt(matrix.hi[column * matrix.width + column] + drift.hi[k] ** 2) || 1;
  });
  const every = kept.map((_, k) => k);
  const forward = scaledProduct(
    symmetricProduct(matrix.hi, matrix.width, kept),
    lengths.map((length) => 1 / length),
  );
  const byInverse = symmetricProduct(inverse.hi, rank, every);
  const backward = scaledProduct(byInverse, lengths);
  if (first === 0) return conditionOf(rank, forward, backward);
  // XᵀX = [1, bᵀ; b, S + bbᵀ] and its inverse [1 + bᵀr, −rᵀ; −r, S⁻¹], with b the drift and r = S⁻¹b, in unit lengths.
  const border = drift.hi.map((b, k) => b / lengths[k]);
  const response = new Float64Array(rank);
  if (rank >= WIDE.columns) byInverse(drift.hi, response);
  else
    kept.forEach((_, i) => {
      response[i] = ddDot(inverse, i * rank, drift, 0, rank).hi;
    });
  const leverage = response.reduce((sum, value, i) => sum + value * drift.hi[i], 0);
  const turned = lengths.map((length, k) => -response[k] * length);
  return conditionOf(
    rank + 1,
    bordered(forward, border, 1, border),
    bordered(backward, turned, 1 + leverage),
  );
}

function conditionOf(width: number, forward: SymmetricProduct, backward: SymmetricProduct): number {
  const tolerance = width >= WIDE.columns ? WIDE.tolerance : TOLERANCE;
  return Math.sqrt(
    largestEigenvalue(width, forward, tolerance) * largestEigenvalue(width, backward, tolerance),
  );
}

/** Products with [corner, bᵀ; b, A + ccᵀ] for a border b; c is zero unless given. */
function bordered(
  product: SymmetricProduct,
  border: Float64Array,
  corner: number,
  added?: Float64Array,
): SymmetricProduct {
  return (v, out) => {
    const [inner, result] = [v.subarray(1), out.subarray(1)];
    product(inner, result);
    let [top, share] = [corner * v[0], 0];
    for (let i = 0; i < inner.length; i++) {
      top += border[i] * inner[i];
      if (added !== undefined) share += added[i] * inner[i];
    }
    out[0] = top;
    for (let i = 0; i < inner.length; i++) {
      result[i] += border[i] * v[0];
      if (added !== undefined) result[i] += added[i] * share;
    }
  };
}
