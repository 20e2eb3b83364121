import { type AffineOptions, affineRounds, averageOf } from './affine-rounds.ts';
import type { Baseline } from './baseline.ts';

/** FedAvg or FedProx with every client in every round, each round as affine maps: for readings of which only the models count. */
export function affineFedAvg(options: AffineOptions = {}): Baseline {
  return {
    name: (options.proximal ?? 0) > 0 ? 'FedProx' : 'FedAvg',
    down: ['weights'],
    up: ['weights'],
    *iterates(kernels, clients, ridge) {
      const rounds = [...affineRounds(kernels, clients, ridge, options)];
      let weights = new Float64Array(clients[0]!.moments.length);
      for (;;) {
        weights = averageOf(rounds, weights);
        yield weights;
      }
    },
  };
}
