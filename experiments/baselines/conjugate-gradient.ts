import type { Baseline } from './baseline.ts';
import { dotOf, productWith } from './product.ts';

/**
 * Conjugate gradients on (G + σI)w = h, G spread over the clients (Hestenes & Stiefel 1952): in the first round clients
 * send h_k, afterwards the server sends a direction and clients send G_k times it. The natural method if a few rounds are
 * allowed. Newton's method is not compared: its one round of G_k and h_k is one-shot fusion.
 */
export const conjugateGradientBaseline: Baseline = {
  name: 'Conjugate gradients',
  down: ['direction'],
  firstDown: [],
  up: ['product'],
  *iterates(kernels, clients, ridge) {
    const d = clients[0]!.moments.length;
    const products = clients.map(({ gram }) => productWith(kernels, gram, d));
    const weights = new Float64Array(d);
    const rest = new Float64Array(d);
    for (const { moments } of clients) for (let i = 0; i < d; i++) rest[i]! += moments[i]!;
    yield weights.slice();
    const direction = rest.slice();
    let energy = dotOf(rest, rest);
    for (;;) {
      if (energy > 0) {
        const image = direction.map((v) => ridge * v);
        for (const product of products) {
          const own = product(direction);
          for (let i = 0; i < d; i++) image[i]! += own[i]!;
        }
        const step = energy / dotOf(direction, image);
        for (let i = 0; i < d; i++) {
          weights[i]! += step * direction[i]!;
          rest[i]! -= step * image[i]!;
        }
        const next = dotOf(rest, rest);
        for (let i = 0; i < d; i++) direction[i] = rest[i]! + (next / energy) * direction[i]!;
        energy = next;
      }
      yield weights.slice();
    }
  },
};
