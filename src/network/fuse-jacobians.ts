import { symmetricEigen } from '../numeric/eigen.ts';
import { reproducibleKernels } from '../numeric/kernels.ts';
import { transposedProduct } from '../numeric/transposed-product.ts';
import { descentFactor } from './closed-descent.ts';
import { averageNetwork, weightSums } from './fuse-average.ts';
import { descentRate, type PlainDescent } from './server-descent.ts';
import { allRows, orderedSites, type SiteWeights } from './site-weights.ts';

/** A site's weights with the Jacobian of its predictions, a row for each of its rows: its Fisher information is JᵀJ / n. */
export interface JacobianSite extends SiteWeights {
  /** Row-major, rows × weights. */
  readonly jacobian: Float64Array;
}

/**
 * The same as `descendFull` where there are fewer rows than weights: works with JJᵀ, as wide as the rows of all sites
 * (research for FedFisher's Appendix D.1). W = W̄ + Jᵀ U diag((1 − (1 − ηλ)ᵀ) / λ) Uᵀ r, where r stacks Jᵢ(Wᵢ − W̄).
 */
export function descendJacobians(
  sites: readonly JacobianSite[],
  descent: PlainDescent,
): Float64Array {
  const kept = orderedSites(sites);
  const weights = averageNetwork(weightSums(kept));
  const width = weights.length;
  const total = allRows(kept);
  // Columns of Jᵀ are the rows of all sites, so that JJᵀ is a product over the weights.
  const turned = new Float64Array(width * total);
  const rest = new Float64Array(total);
  let at = 0;
  for (const { rows, weights: own, jacobian } of kept) {
    for (let r = 0; r < rows; r++, at++) {
      for (let k = 0; k < width; k++) {
        const slope = jacobian[r * width + k];
        turned[k * total + at] = slope;
        rest[at] += slope * (own[k] - weights[k]);
      }
    }
  }
  const kernels = reproducibleKernels();
  const gram = transposedProduct(kernels, turned, turned, width).map((sum) => sum / total);
  const { values, vectors } = symmetricEigen(kernels, gram, total);
  const rate = descentRate(descent, values[total - 1]);
  const along = transposedProduct(kernels, vectors, rest, total).map(
    (part, j) => (part * descentFactor(values[j], rate, descent.steps)) / total,
  );
  const back = new Float64Array(total);
  for (let i = 0; i < total; i++) {
    for (let j = 0; j < total; j++) back[i] += vectors[i * total + j] * along[j];
  }
  for (let k = 0; k < width; k++) {
    for (let r = 0; r < total; r++) weights[k] += turned[k * total + r] * back[r];
  }
  return weights;
}
