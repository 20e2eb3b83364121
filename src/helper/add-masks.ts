import { keyStreamParts } from '../cipher/key-stream.ts';
import { entriesOf, type Layout, wordsOf } from '../statistic/layout.ts';
import { type RingVector, ringAddInto } from '../statistic/ring.ts';

/** Bytes of masks between two pauses for other requests. */
const BYTES_A_TURN = 2 ** 24;

/** Entries of a mask that are made and added at once: they fit the processor's cache. */
const ENTRIES_A_PART = 4096;

/** The sum of the masks of these seeds. A part of one mask is in memory at a time. */
export async function addMasks(layout: Layout, seeds: readonly Uint8Array[]): Promise<RingVector> {
  const words = wordsOf(layout);
  const sum = new Uint32Array(entriesOf(layout) * words);
  const part = ENTRIES_A_PART * words;
  let bytes = 0;
  for (const seed of seeds) {
    const next = keyStreamParts(seed);
    for (let from = 0; from < sum.length; from += part) {
      const own = sum.subarray(from, from + part);
      ringAddInto(own, next(own.length), words);
    }
    bytes += sum.byteLength;
    if (bytes < BYTES_A_TURN) continue;
    bytes = 0;
    await new Promise((resolve) => setTimeout(resolve)); // lets other requests run
  }
  return sum;
}
