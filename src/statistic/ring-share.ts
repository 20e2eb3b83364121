import { type Layout, wordsOf } from './layout.ts';
import type { RingVector } from './ring.ts';

/**
 * The share of the ring's range that the largest entry takes, rounded up. A sum of statistics whose shares add up to less
 * than 1 cannot overflow.
 */
export function ringShare(layout: Layout, values: RingVector): number {
  const words = wordsOf(layout);
  let most = 0;
  for (let k = words - 1; k < values.length; k += words) {
    const top = values[k] | 0;
    const size = top < 0 ? -top : top + 1;
    if (size > most) most = size;
  }
  return most / 2 ** 31;
}
