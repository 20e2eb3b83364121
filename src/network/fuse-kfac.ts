import { conjugateGradient } from '../numeric/conjugate-gradient.ts';
import { reproducibleKernels } from '../numeric/kernels.ts';
import { largestEigenvalue } from '../numeric/largest-eigenvalue.ts';
import type { SymmetricProduct } from '../numeric/symmetric-product.ts';
import { averageNetwork, weightSums } from './fuse-average.ts';
import { type KroneckerTerm, kroneckerSum, kroneckerTrace, nearInverse } from './kronecker-sum.ts';
import type { NetworkPlan, WeightBlock } from './network-plan.ts';
import {
  descentRate,
  type PaperLoop,
  type PlainDescent,
  paperDescent,
  plainDescent,
  type ServerObjective,
} from './server-descent.ts';
import {
  addTimes,
  allRows,
  orderedSites,
  type SiteWeights,
  USUAL_DAMPING,
} from './site-weights.ts';

/** The Kronecker factors of a layer's Fisher information, G ⊗ A, as packed upper triangles. */
export interface KfacFactors {
  /** A: second moments of the layer's inputs, the 1 of a bias included. */
  readonly inputs: Float64Array;
  /** G: second moments of the gradients at the layer's outputs. */
  readonly outputs: Float64Array;
}

/** A site's weights with its factors, one pair for each block of weights. */
export interface KfacSite extends SiteWeights {
  readonly factors: readonly KfacFactors[];
}

/** ‖rest‖ / ‖right-hand side‖ at which the iteration ends: weights of LeNet are then within 2e-5 of their size. */
const USUAL_TOLERANCE = 1e-6;
const MOST_ITERATIONS = 2000;
const CURVATURE_TOLERANCE = 1e-6;

/**
 * Layer by layer Σ p G W A + LW = Σ p G Wᵢ A + LW̄ with L = λ Σ p tr(A) tr(G) / (dim A · dim G), by conjugate gradients from the
 * average. Needs no data at the coordinator.
 */
export function dampedKfac(
  { blocks }: NetworkPlan,
  sites: readonly KfacSite[],
  damping: number = USUAL_DAMPING,
  tolerance: number = USUAL_TOLERANCE,
): Float64Array {
  if (!(damping > 0)) throw new RangeError(`damping must be positive: ${damping}`);
  const kept = orderedSites(sites);
  const weights = averageNetwork(weightSums(kept));
  for (const block of blocks) {
    const { start, rows, columns } = block;
    const terms = termsOf(kept, block);
    const shift = (damping * kroneckerTrace(terms, rows, columns)) / (rows * columns);
    if (!(shift > 0)) continue;
    const kernels = reproducibleKernels();
    const multiply = kroneckerSum(kernels, terms, rows, columns);
    const divide = nearInverse(kernels, terms, rows, columns, shift);
    const mean = weights.subarray(start, start + rows * columns);
    const change = conjugateGradient(
      (v) => {
        const image = imageOf(multiply, v);
        addTimes(image, shift, v);
        return image;
      },
      (v) => imageOf(divide, v),
      distances(kept, block, mean),
      tolerance,
      MOST_ITERATIONS,
    ).x;
    addTimes(mean, 1, change);
  }
  return weights;
}

/** FedFisher (K-FAC) by its authors' loop: w −= 0.01 m / √(v + 0.01). */
export function paperKfac(
  plan: NetworkPlan,
  sites: readonly KfacSite[],
  loop: PaperLoop = {},
): Float64Array {
  const kept = orderedSites(sites);
  return paperDescent(
    objective(kept, products(plan, kept)),
    (m, v) => m / Math.sqrt(v + 0.01),
    loop,
  );
}

/** FedFisher (K-FAC) by gradient descent from the average. */
export function descendKfac(
  plan: NetworkPlan,
  sites: readonly KfacSite[],
  descent: PlainDescent,
): Float64Array {
  const kept = orderedSites(sites);
  const layers = products(plan, kept);
  const curvatures = layers.map(({ block, multiply }) =>
    largestEigenvalue(block.rows * block.columns, multiply, CURVATURE_TOLERANCE),
  );
  const rate = descentRate(descent, Math.max(...curvatures) * (1 + CURVATURE_TOLERANCE));
  return plainDescent(objective(kept, layers), descent.steps, rate);
}

interface LayerProduct {
  readonly block: WeightBlock;
  readonly multiply: SymmetricProduct;
}

function products({ blocks }: NetworkPlan, sites: readonly KfacSite[]): readonly LayerProduct[] {
  const kernels = reproducibleKernels();
  return blocks.map((block) => ({
    block,
    multiply: kroneckerSum(kernels, termsOf(sites, block), block.rows, block.columns),
  }));
}

function termsOf(sites: readonly KfacSite[], { index }: WeightBlock): readonly KroneckerTerm[] {
  const total = allRows(sites);
  return sites.map(({ rows, factors }) => ({ share: rows / total, ...factors[index] }));
}

function imageOf(product: SymmetricProduct, v: Float64Array): Float64Array {
  const image = new Float64Array(v.length);
  product(v, image);
  return image;
}

/** Σ p G (Wᵢ − W̄) A of a layer: what the average misses. */
function distances(
  sites: readonly KfacSite[],
  block: WeightBlock,
  mean: Float64Array,
): Float64Array {
  const { start, rows, columns } = block;
  const sum = new Float64Array(mean.length);
  const image = new Float64Array(mean.length);
  const kernels = reproducibleKernels();
  termsOf(sites, block).forEach((term, i) => {
    const { weights } = sites[i];
    kernels.scoped(() => {
      kroneckerSum(
        kernels,
        [term],
        rows,
        columns,
      )(
        mean.map((value, k) => weights[start + k] - value),
        image,
      );
    });
    addTimes(sum, 1, image);
  });
  return sum;
}

function objective(sites: readonly KfacSite[], layers: readonly LayerProduct[]): ServerObjective {
  const start = averageNetwork(weightSums(sites));
  const missing = start.slice();
  const part = (all: Float64Array, { start, rows, columns }: WeightBlock) =>
    all.subarray(start, start + rows * columns);
  for (const { block } of layers) {
    part(missing, block).set(distances(sites, block, part(start, block)));
  }
  const away = new Float64Array(start.length);
  return {
    start,
    gradient(weights, out) {
      for (let k = 0; k < away.length; k++) away[k] = weights[k] - start[k];
      for (const { block, multiply } of layers) multiply(part(away, block), part(out, block));
      addTimes(out, -1, missing);
    },
  };
}
