import { type RingVector, ringAddInto } from '../statistic/ring.ts';
import type { NumberShare } from './aggregation.ts';

/** Adds numbers, or a part of them at its place. Entries are added one by one, so the sum is the same in any parts. */
export function addPart(
  total: RingVector,
  { values, first = 0 }: NumberShare,
  words: number,
): void {
  const start = first * words;
  const place =
    first === 0 && values.length === total.length
      ? total
      : total.subarray(start, start + values.length);
  ringAddInto(place, values, words);
}
