import { symmetricEigen } from '../numeric/eigen.ts';
import { reproducibleKernels } from '../numeric/kernels.ts';
import type { PlainFit } from './submodel.ts';

/** A direction of the columns, and how much of the coefficients' variance goes with it. */
export interface ConditionIndex {
  readonly eigenvalue: number;
  readonly index: number;
  /** Share of each coefficient's variance that goes with this direction, by coefficient name. */
  readonly shares: Readonly<Record<string, number>>;
}

/** Above this ratio the smallest eigenvalues of XᵀX in float64 lose digits that its inverse still has. */
const WIDE_SPECTRUM = 1e6;

/**
 * Eigenvalues of XᵀX with columns of unit length, largest first, and the share πⱼₖ = (vⱼₖ²/λₖ)/Σ of each coefficient's
 * variance. The small ones are taken from the top of the inverse, so that none is lost to rounding.
 */
export function conditionIndices(
  fit: PlainFit,
  names: readonly string[],
  covariance: Float64Array,
): ConditionIndex[] {
  const width = names.length;
  const { forward, backward } = unitLength(fit, covariance);
  const kernels = reproducibleKernels();
  const large = symmetricEigen(kernels, forward, width);
  const small = symmetricEigen(kernels, backward, width);
  const largest = large.values[width - 1];
  const smallest = 1 / small.values[width - 1];
  const direct = Array.from(large.values).reverse();
  const inverse = Array.from(small.values, (value) => 1 / value);
  const split = largest / smallest > WIDE_SPECTRUM ? widestGap(direct, inverse) : width;
  const values = direct.map((value, k) => (k < split ? value : inverse[k]));
  const vector = (j: number, k: number) =>
    k < split ? large.vectors[j * width + width - 1 - k] : small.vectors[j * width + k];
  const components = names.map((_, j) => values.map((value, k) => vector(j, k) ** 2 / value));
  const sums = components.map((row) => row.reduce((sum, component) => sum + component, 0));
  return values.map((eigenvalue, k) => ({
    eigenvalue,
    index: Math.sqrt(values[0] / eigenvalue),
    shares: Object.fromEntries(names.map((name, j) => [name, components[j][k] / sums[j]])),
  }));
}

/** Where neighbouring eigenvalues are furthest apart, so that the two halves share no direction. */
function widestGap(direct: readonly number[], inverse: readonly number[]): number {
  let [at, widest] = [direct.length, 1];
  for (let k = 1; k < direct.length; k++) {
    const gap = direct[k - 1] / inverse[k];
    if (gap > widest) [at, widest] = [k, gap];
  }
  return at;
}

/** XᵀWX and its inverse over the model's terms, both for columns of unit length. */
function unitLength(
  { equations, solution }: PlainFit,
  covariance: Float64Array,
): { forward: Float64Array; backward: Float64Array } {
  const { layout, matrix, equilibration, means, weightSum } = equations;
  const { kept } = solution;
  const first = layout.intercept ? 1 : 0;
  const width = kept.length + first;
  const weightScale = layout.weightScale ?? 1;
  const unit = kept.map(
    (column) => (layout.references[column + 1].scale * weightScale) / equilibration[column],
  );
  const mean = kept.map((column) => {
    const { center, scale } = layout.references[column + 1];
    return first * (center + scale * means.hi[column]);
  });
  const product = (i: number, j: number): number => {
    if (i < first || j < first) {
      const other = Math.max(i, j) - first;
      return weightSum * (other < 0 ? 1 : mean[other]);
    }
    const [a, b] = [i - first, j - first];
    const centred = matrix.hi[kept[a] * matrix.width + kept[b]] * unit[a] * unit[b];
    return centred + weightSum * mean[a] * mean[b];
  };
  const lengths = Array.from({ length: width }, (_, i) => Math.sqrt(product(i, i)));
  const forward = new Float64Array(width * width);
  const backward = new Float64Array(width * width);
  for (let i = 0; i < width; i++) {
    for (let j = 0; j < width; j++) {
      forward[i * width + j] = i === j ? 1 : product(i, j) / (lengths[i] * lengths[j]);
      backward[i * width + j] = covariance[i * width + j] * lengths[i] * lengths[j];
    }
  }
  return { forward, backward };
}
