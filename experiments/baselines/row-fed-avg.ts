import type { Kernels } from '../../src/numeric/kernels.ts';
import type { Rows } from '../data/generator.ts';
import { paperSteps, sameObjective } from './local-steps.ts';
import { columnProduct } from './product.ts';

/**
 * FedAvg whose steps go over the rows, Aᵀ(Aw − b), as a program does that keeps no sums of products: full batches, every client
 * in every round. The same iterates as from the Gram, up to rounding; for times.
 */
export function* rowFedAvg(
  kernels: Kernels,
  sites: readonly Rows[],
  ridge: number,
): Generator<Float64Array, never, void> {
  const d = sites[0]!.features.length;
  const all = sites.reduce((sum, { count }) => sum + count, 0);
  const shrink = sameObjective.shrink(ridge, all);
  const clients = sites.map((rows) => rowProducts(kernels, rows));
  let weights = new Float64Array(d);
  for (;;) {
    const mean = new Float64Array(d);
    for (const { count, response, fitted, moments } of clients) {
      const own = weights.slice();
      const scale = sameObjective.squares / count;
      for (let e = 0; e < paperSteps.epochs; e++) {
        const residual = fitted(own);
        for (let r = 0; r < count; r++) residual[r]! -= response[r]!;
        const gradient = moments(residual);
        for (let i = 0; i < d; i++) {
          own[i]! -= paperSteps.rate * (scale * gradient[i]! + shrink * own[i]!);
        }
      }
      for (let i = 0; i < d; i++) mean[i]! += (count / all) * own[i]!;
    }
    weights = mean;
    yield weights;
  }
}

/** w ↦ Aw and r ↦ Aᵀr of a client. */
function rowProducts(kernels: Kernels, { count, features, response }: Rows) {
  const d = features.length;
  const columns = new Float64Array(d * count);
  const rows = new Float64Array(count * d);
  features.forEach((column, j) => {
    columns.set(column, j * count);
    for (let r = 0; r < count; r++) rows[r * d + j] = column[r]!;
  });
  return {
    count,
    response,
    fitted: columnProduct(kernels, columns, d, count),
    moments: columnProduct(kernels, rows, count, d),
  };
}
