import type { Kernels } from '../../src/numeric/kernels.ts';
import { type Client, rowsOf } from './client.ts';
import { productWith } from './product.ts';

/** How clients step: the paper's η = 0.01 and E = 5. */
export interface LocalSteps {
  readonly rate: number;
  readonly epochs: number;
}

export const paperSteps: LocalSteps = { rate: 0.01, epochs: 5 };

/** ∇F_k at w, of F_k(w) = ‖A_k w − b_k‖²/n_k + (σ/n)‖w‖². */
export type Gradient = (weights: Float64Array) => Float64Array;

/**
 * The gradients of the clients' objectives, whose mean with weights n_k/n is (1/n) of the paper's equation (1). Computed
 * from the Gram: equal to the rows up to rounding, and faster, which favours the baselines.
 */
export function gradientsOf(
  kernels: Kernels,
  clients: readonly Client[],
  ridge: number,
): readonly Gradient[] {
  const all = rowsOf(clients);
  return clients.map(({ count, gram, moments }) => {
    const d = moments.length;
    const product = productWith(kernels, gram, d);
    const [scale, shrink] = [2 / count, (2 * ridge) / all];
    return (weights) => {
      const gradient = product(weights);
      for (let i = 0; i < d; i++) {
        gradient[i] = scale * (gradient[i]! - moments[i]!) + shrink * weights[i]!;
      }
      return gradient;
    };
  });
}

/** The mean of vectors, weighted by each client's share of the rows. */
export function meanByRows(
  clients: readonly Client[],
  vectors: readonly Float64Array[],
): Float64Array {
  const all = rowsOf(clients);
  const mean = new Float64Array(vectors[0]!.length);
  vectors.forEach((vector, k) => {
    const share = clients[k]!.count / all;
    for (let i = 0; i < mean.length; i++) mean[i]! += share * vector[i]!;
  });
  return mean;
}
