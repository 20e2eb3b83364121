import { seededWords } from '../../src/random/seeded-words.ts';
import { paperSteps, sameObjective } from './local-steps.ts';
import type { RowMatrix } from './row-matrix.ts';

/** FedAvg whose clients go through their rows in batches, in a new random order in each of E epochs; every client in every round. */
export function* miniBatchFedAvg(
  clients: readonly RowMatrix[],
  ridge: number,
  batch: number,
  seed: number,
): Generator<Float64Array, never, void> {
  const d = clients[0]!.columns;
  const all = clients.reduce((sum, { count }) => sum + count, 0);
  const shrink = sameObjective.shrink(ridge, all);
  const orders = clients.map(({ count }) => Uint32Array.from({ length: count }, (_, r) => r));
  const random = seededWords(0xba7c + seed);
  const gradient = new Float64Array(d);
  let weights = new Float64Array(d);
  for (;;) {
    const mean = new Float64Array(d);
    clients.forEach((client, k) => {
      const own = weights.slice();
      for (let e = 0; e < paperSteps.epochs; e++) {
        shuffle(orders[k]!, random);
        for (let from = 0; from < client.count; from += batch) {
          const rows = orders[k]!.subarray(from, Math.min(from + batch, client.count));
          batchGradient(client, rows, own, gradient);
          const scale = sameObjective.squares / rows.length;
          for (let i = 0; i < d; i++) {
            own[i]! -= paperSteps.rate * (scale * gradient[i]! + shrink * own[i]!);
          }
        }
      }
      for (let i = 0; i < d; i++) mean[i]! += (client.count / all) * own[i]!;
    });
    weights = mean;
    yield weights;
  }
}

/** Σ a(a·w − b) over some rows, into `gradient`. */
function batchGradient(
  { columns: d, values }: RowMatrix,
  rows: Uint32Array,
  weights: Float64Array,
  gradient: Float64Array,
): void {
  gradient.fill(0);
  for (const row of rows) {
    const at = row * (d + 1);
    let residual = -values[at + d]!;
    for (let j = 0; j < d; j++) residual += values[at + j]! * weights[j]!;
    for (let j = 0; j < d; j++) gradient[j]! += values[at + j]! * residual;
  }
}

/** Fisher and Yates, in place. */
function shuffle(order: Uint32Array, random: () => number): void {
  for (let k = order.length - 1; k > 0; k--) {
    const other = Math.floor((random() / 2 ** 32) * (k + 1));
    const kept = order[k]!;
    order[k] = order[other]!;
    order[other] = kept;
  }
}
