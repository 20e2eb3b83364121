import type { WordSource } from '../random/words.ts';

/** Rows to train on, and rows that are kept out of it. */
export interface SplitRows {
  readonly trained: Uint32Array;
  readonly heldOut: Uint32Array;
}

/** Fewer rows would show nothing about what a network remembers. */
const FEWEST = 20;

/** A random share of the rows, in the order of the file; none if the share is too few to show anything. */
export function heldOutRows(rows: number, share: number, random: WordSource): SplitRows {
  const wanted = Math.round(share * rows);
  const out = new Uint8Array(rows);
  if (wanted >= FEWEST) {
    // Floyd's way of drawing `wanted` of `rows` rows, each set alike.
    for (let last = rows - wanted; last < rows; last++) {
      const drawn = Math.floor((random() / 2 ** 32) * (last + 1));
      out[out[drawn] === 1 ? last : drawn] = 1;
    }
  }
  const where = (flag: number) => Uint32Array.from(rowsWith(out, flag));
  return { trained: where(0), heldOut: where(1) };
}

function* rowsWith(flags: Uint8Array, flag: number): Generator<number> {
  for (let r = 0; r < flags.length; r++) if (flags[r] === flag) yield r;
}
