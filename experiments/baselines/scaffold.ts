import type { Baseline } from './baseline.ts';
import { gradientsOf, type LocalSteps, meanByRows, paperSteps } from './local-steps.ts';

/**
 * SCAFFOLD (Karimireddy et al. 2020, Algorithm 1, option II) with every client in every round, a global rate of 1 and
 * clients weighted by their rows. Model and control variate travel both ways.
 */
export function scaffold({ rate, epochs }: LocalSteps = paperSteps): Baseline {
  return {
    name: 'SCAFFOLD',
    down: ['weights', 'control'],
    up: ['weights', 'control'],
    *iterates(kernels, clients, ridge) {
      const gradients = gradientsOf(kernels, clients, ridge);
      const d = clients[0]!.moments.length;
      let weights = new Float64Array(d);
      let control = new Float64Array(d);
      const own = clients.map(() => new Float64Array(d));
      for (;;) {
        const local = gradients.map((gradientAt, k) => {
          const here = weights.slice();
          for (let e = 0; e < epochs; e++) {
            const gradient = gradientAt(here);
            for (let i = 0; i < d; i++)
              here[i]! -= rate * (gradient[i]! - own[k]![i]! + control[i]!);
          }
          return here;
        });
        local.forEach((here, k) => {
          for (let i = 0; i < d; i++) {
            own[k]![i]! += (weights[i]! - here[i]!) / (epochs * rate) - control[i]!;
          }
        });
        weights = meanByRows(clients, local) as typeof weights;
        control = meanByRows(clients, own) as typeof control;
        yield weights;
      }
    },
  };
}
