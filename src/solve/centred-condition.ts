import type { DdMatrix } from '../numeric/dd-matrix.ts';
import { largestEigenvalue } from '../numeric/largest-eigenvalue.ts';
import { type SymmetricProduct, symmetricProduct } from '../numeric/symmetric-product.ts';
import type { NormalEquations } from './normal-equations.ts';

/** Accurate enough for the number of lost digits; every further step is a pass over the matrix. */
const TOLERANCE = 1e-3;

/** About √(λmax(R) λmax(R⁻¹)) for R the kept part of the matrix scaled to a unit diagonal. */
export function centredCondition(
  { matrix }: NormalEquations,
  kept: readonly number[],
  inverse: DdMatrix,
): number {
  const rank = kept.length;
  if (rank === 0) return 1;
  const size = Float64Array.from(kept, (c) => Math.sqrt(matrix.hi[c * matrix.width + c]) || 1);
  const every = kept.map((_, k) => k);
  const forward = scaledProduct(
    symmetricProduct(matrix.hi, matrix.width, kept),
    size.map((x) => 1 / x),
  );
  const backward = scaledProduct(symmetricProduct(inverse.hi, rank, every), size);
  return Math.max(
    1,
    Math.sqrt(
      largestEigenvalue(rank, forward, TOLERANCE) * largestEigenvalue(rank, backward, TOLERANCE),
    ),
  );
}

/** v ↦ D A D v for a diagonal D. */
export function scaledProduct(product: SymmetricProduct, factors: Float64Array): SymmetricProduct {
  const scaled = new Float64Array(factors.length);
  return (v, out) => {
    for (let i = 0; i < scaled.length; i++) scaled[i] = v[i] * factors[i];
    product(scaled, out);
    for (let i = 0; i < scaled.length; i++) out[i] *= factors[i];
  };
}
