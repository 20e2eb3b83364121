import type { Kernels } from '../../src/numeric/kernels.ts';
import { type Client, rowsOf } from './client.ts';
import { productWith } from './product.ts';

/** How clients step: the paper's η = 0.01 and E = 5. */
export interface LocalSteps {
  readonly rate: number;
  readonly epochs: number;
}

export const paperSteps: LocalSteps = { rate: 0.01, epochs: 5 };

/** A client's objective by its gradient: `squares`·A_kᵀ(A_k w − b_k)/n_k + `shrink`·w. The paper does not say which it has. */
export interface ClientObjective {
  readonly squares: 1 | 2;
  /** From σ and the rows of all clients. */
  shrink(ridge: number, rows: number): number;
}

/** ‖A_k w − b_k‖²/n_k + (σ/n)‖w‖²: the mean by rows of these is 1/n of the paper's equation (1). */
export const sameObjective: ClientObjective = { squares: 2, shrink: (ridge, n) => (2 * ridge) / n };

/** Half of the same: the same minimum, by steps half as long. */
export const halvedObjective: ClientObjective = { squares: 1, shrink: (ridge, n) => ridge / n };

/** ½(‖A_k w − b_k‖²/n_k + σ‖w‖²): σ is added to the mean loss, which makes the ridge n times as heavy. */
export const meanLossObjective: ClientObjective = { squares: 1, shrink: (ridge) => ridge };

/** ‖A_k w − b_k‖²/n_k + σ‖w‖²: twice the one before. */
export const doubledMeanLoss: ClientObjective = { squares: 2, shrink: (ridge) => 2 * ridge };

/** ½‖A_k w − b_k‖²/n_k + σ‖w‖²: the penalty without the half. */
export const heavierMeanLoss: ClientObjective = { squares: 1, shrink: (ridge) => 2 * ridge };

/** The gradient of a client's objective at w. */
export type Gradient = (weights: Float64Array) => Float64Array;

/** Computed from the Gram: equal to the rows up to rounding, and faster, which favours the baselines. */
export function gradientsOf(
  kernels: Kernels,
  clients: readonly Client[],
  ridge: number,
  objective: ClientObjective = sameObjective,
): readonly Gradient[] {
  const all = rowsOf(clients);
  return clients.map(({ count, gram, moments }) => {
    const d = moments.length;
    const product = productWith(kernels, gram, d);
    const [scale, shrink] = [objective.squares / count, objective.shrink(ridge, all)];
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
