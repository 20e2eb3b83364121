import type { Baseline } from './baseline.ts';
import {
  type ClientObjective,
  gradientsOf,
  type LocalSteps,
  meanByRows,
  paperSteps,
  sameObjective,
} from './local-steps.ts';

/** μ of the paper's FedProx. */
export const PROXIMAL = 0.01;

/** FedAvg (McMahan et al. 2017, Algorithm 1) with full batches and every client in every round. */
export function fedAvg(steps: LocalSteps = paperSteps): Baseline {
  return { ...fedProx(0, steps), name: 'FedAvg' };
}

/**
 * FedProx (Li et al. 2020, Algorithm 2): local objectives have (μ/2)‖w − wᵗ‖² added, wᵗ the model of the round.
 * With μ = 0 it is FedAvg.
 */
export function fedProx(
  proximal: number = PROXIMAL,
  { rate, epochs }: LocalSteps = paperSteps,
  objective: ClientObjective = sameObjective,
): Baseline {
  return {
    name: 'FedProx',
    down: ['weights'],
    up: ['weights'],
    *iterates(kernels, clients, ridge) {
      const gradients = gradientsOf(kernels, clients, ridge, objective);
      let weights = new Float64Array(clients[0]!.moments.length);
      for (;;) {
        const local = gradients.map((gradientAt) => {
          const own = weights.slice();
          for (let e = 0; e < epochs; e++) {
            const gradient = gradientAt(own);
            for (let i = 0; i < own.length; i++) {
              own[i]! -= rate * (gradient[i]! + proximal * (own[i]! - weights[i]!));
            }
          }
          return own;
        });
        weights = meanByRows(clients, local) as typeof weights;
        yield weights;
      }
    },
  };
}
