import type { Kernels } from '../../src/numeric/kernels.ts';
import { type Client, rowsOf } from './client.ts';
import { type LocalSteps, paperSteps } from './local-steps.ts';
import { type Product, productWith, squareProduct } from './product.ts';

/** A client’s E local steps as one affine map, w ↦ M w + v: equal to the steps up to rounding. */
export interface AffineRound {
  readonly count: number;
  readonly product: Product;
  readonly offset: Float64Array;
}

/**
 * Full-batch steps on a squared loss are affine, T w + ηc with T = I − η(2G/n_k + 2σ/n): M = Tᴱ, and a round costs one
 * product per client. For many clients and many rounds; times are measured with the steps themselves.
 */
export function* affineRounds(
  kernels: Kernels,
  clients: readonly Client[],
  ridge: number,
  steps: LocalSteps = paperSteps,
): Generator<AffineRound, void, void> {
  const all = rowsOf(clients);
  for (const client of clients) yield affineRound(kernels, client, (2 * ridge) / all, steps);
}

function affineRound(
  kernels: Kernels,
  { count, gram, moments }: Client,
  shrink: number,
  { rate, epochs }: LocalSteps,
): AffineRound {
  const d = moments.length;
  const step = gram.map((entry) => (-2 * rate * entry) / count);
  for (let i = 0; i < d; i++) step[i * d + i]! += 1 - rate * shrink;
  const constant = moments.map((h) => (2 * rate * h) / count);
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
  return { count, offset, product: productWith(kernels, power(kernels, step, d, epochs), d) };
}

function power(kernels: Kernels, matrix: Float64Array, d: number, exponent: number): Float64Array {
  if (exponent === 1) return matrix;
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
