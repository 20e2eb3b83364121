import { gramRows } from '../../src/numeric/gram.ts';
import type { Kernels } from '../../src/numeric/kernels.ts';
import { packedIndex } from '../../src/statistic/linear-layout.ts';
import type { Rows } from '../data/generator.ts';
import { type LocalSteps, paperSteps } from './local-steps.ts';
import { type Product, productWith } from './product.ts';

/**
 * FedAvg for clients with fewer rows than features. Local steps only add combinations of a client's rows, so
 * w = s·wᵗ + Aᵀc, and a step works on c with AAᵀ, which is smaller than AᵀA: the same iterates up to rounding.
 */
export function* dualFedAvg(
  kernels: Kernels,
  clients: readonly Rows[],
  ridge: number,
  { rate, epochs }: LocalSteps = paperSteps,
): Generator<Float64Array, never, void> {
  const d = clients[0]!.features.length;
  const all = clients.reduce((sum, { count }) => sum + count, 0);
  const outer = clients.map((rows) => outerProduct(kernels, rows));
  const keep = 1 - (2 * rate * ridge) / all;
  let weights = new Float64Array(d);
  for (;;) {
    const next = new Float64Array(d);
    clients.forEach((rows, k) => {
      const { count, response } = rows;
      const fitted = times(rows, weights);
      let along = 1;
      let c = new Float64Array(count);
      for (let e = 0; e < epochs; e++) {
        const own = outer[k]!(c);
        const scale = (2 * rate) / count;
        c = c.map((v, r) => keep * v + scale * (response[r]! - along * fitted[r]! - own[r]!));
        along *= keep;
      }
      rows.features.forEach((column, j) => {
        let sum = along * weights[j]!;
        for (let r = 0; r < count; r++) sum += column[r]! * c[r]!;
        next[j]! += (count / all) * sum;
      });
    });
    weights = next;
    yield weights;
  }
}

function times({ count, features }: Rows, weights: Float64Array): Float64Array {
  const fitted = new Float64Array(count);
  features.forEach((column, j) => {
    const weight = weights[j]!;
    for (let r = 0; r < count; r++) fitted[r]! += weight * column[r]!;
  });
  return fitted;
}

/** c ↦ AAᵀc. */
function outerProduct(kernels: Kernels, { count, features }: Rows): Product {
  const columns = new Float64Array(features.length * count);
  features.forEach((column, j) => {
    columns.set(column, j * count);
  });
  const packed = gramRows(kernels, columns, features.length, count);
  const square = new Float64Array(count * count);
  for (let i = 0; i < count; i++) {
    for (let j = 0; j < count; j++) square[i * count + j] = packed[packedIndex(count, i, j)]!;
  }
  return productWith(kernels, square, count);
}
