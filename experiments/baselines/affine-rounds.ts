import type { Kernels } from '../../src/numeric/kernels.ts';
import { type Client, rowsOf } from './client.ts';
import { type ClientObjective, type LocalSteps, paperSteps, sameObjective } from './local-steps.ts';
import { type Product, productWith, squareProduct } from './product.ts';

/** A client’s E local steps as one affine map, w ↦ M w + v: equal to the steps up to rounding. */
export interface AffineRound {
  readonly count: number;
  readonly product: Product;
  readonly offset: Float64Array;
}

/** What the steps are; the paper's FedAvg if not given. */
export interface AffineOptions {
  readonly steps?: LocalSteps;
  readonly objective?: ClientObjective;
  /** μ of FedProx. */
  readonly proximal?: number;
}

/**
 * Full-batch steps on a squared loss are affine: w ↦ T w + ηc + ημwᵗ with T = I − η(2G/n_k + 2σ/n + μ) and wᵗ the model of the
 * round, so M = Tᴱ + ημ·Σ Tᵉ. A round costs one product per client. Times are measured with the steps themselves.
 */
export function* affineRounds(
  kernels: Kernels,
  clients: readonly Client[],
  ridge: number,
  options: AffineOptions = {},
): Generator<AffineRound, void, void> {
  const all = rowsOf(clients);
  for (const client of clients) yield affineRound(kernels, client, ridge, all, options);
}

function affineRound(
  kernels: Kernels,
  { count, gram, moments }: Client,
  ridge: number,
  all: number,
  { steps = paperSteps, objective = sameObjective, proximal = 0 }: AffineOptions,
): AffineRound {
  const { rate, epochs } = steps;
  const d = moments.length;
  const scale = (rate * objective.squares) / count;
  const step = gram.map((entry) => -scale * entry);
  const kept = 1 - rate * (objective.shrink(ridge, all) + proximal);
  for (let i = 0; i < d; i++) step[i * d + i]! += kept;
  const constant = moments.map((h) => scale * h);
  // Σ Tᵉ·ηc for e < E, by Horner's rule.
  let offset = constant;
  kernels.scoped(() => {
    const product = productWith(kernels, step, d);
    for (let e = 1; e < epochs; e++) {
      const next = product(offset);
      for (let i = 0; i < d; i++) next[i]! += constant[i]!;
      offset = next as typeof offset;
    }
  });
  const map = power(kernels, step, d, epochs);
  if (proximal > 0) {
    const sum = powerSum(kernels, step, d, epochs);
    for (let i = 0; i < map.length; i++) map[i]! += rate * proximal * sum[i]!;
  }
  return { count, offset, product: productWith(kernels, map, d) };
}

/** I + T + … + Tᴱ⁻¹, by Horner's rule. */
function powerSum(kernels: Kernels, step: Float64Array, d: number, epochs: number): Float64Array {
  let sum: Float64Array = new Float64Array(d * d);
  for (let e = 0; e < epochs; e++) {
    if (e > 0) sum = squareProduct(kernels, step, sum, d);
    for (let i = 0; i < d; i++) sum[i * d + i]! += 1;
  }
  return sum;
}

function power(kernels: Kernels, matrix: Float64Array, d: number, exponent: number): Float64Array {
  if (exponent === 1) return matrix.slice();
  const half = power(kernels, matrix, d, Math.floor(exponent / 2));
  const square = squareProduct(kernels, half, half, d);
  return exponent % 2 === 0 ? square : squareProduct(kernels, square, matrix, d);
}

/** The model after a round of FedAvg with these clients. */
export function averageOf(
  clients: readonly AffineRound[],
  weights: Float64Array,
): Float64Array<ArrayBuffer> {
  const all = clients.reduce((sum, { count }) => sum + count, 0);
  const mean = new Float64Array(weights.length);
  for (const { count, product, offset } of clients) {
    const own = product(weights);
    for (let i = 0; i < mean.length; i++) mean[i]! += (count / all) * (own[i]! + offset[i]!);
  }
  return mean;
}
