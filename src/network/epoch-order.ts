import { namedWords } from '../random/named-words.ts';

/** The order of the rows in an epoch (from 0), from (seed, epoch) alone; the same on every platform. */
export function epochOrder(rows: number, seed: number, epoch: number): Uint32Array {
  const words = namedWords(`suffice network order ${seed} ${epoch}`);
  const order = Uint32Array.from({ length: rows }, (_, row) => row);
  for (let k = rows - 1; k > 0; k--) {
    const other = Math.floor((words() * (k + 1)) / 2 ** 32);
    [order[k], order[other]] = [order[other], order[k]];
  }
  return order;
}
