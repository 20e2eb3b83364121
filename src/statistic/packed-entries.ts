import type { RingVector } from './ring.ts';
import { entriesIn, type Segment, type Shape } from './segments.ts';

/** Whether some entries are sent in fewer bits than they have in memory. */
export function hasPackedEntries({ segments }: Shape): boolean {
  return segments.some(({ bits }) => bits !== undefined);
}

/** Bytes of all entries on the wire; every segment begins with a byte of its own. */
export function packedBytes({ segments, words }: Shape): number {
  return segments.reduce((sum, segment) => sum + segmentBytes(segment, words), 0);
}

function segmentBytes(segment: Segment, words: number): number {
  return Math.ceil((entriesIn(segment) * (segment.bits ?? 32 * words)) / 8);
}

/** Entries as they are sent: those of a segment with `bits` as signed whole numbers of these bits, lowest bit first. */
export function packEntries({ segments, words }: Shape, values: RingVector): Uint8Array {
  const bytes = new Uint8Array(packedBytes({ segments, words }));
  let [entry, at] = [0, 0];
  for (const segment of segments) {
    const count = entriesIn(segment);
    const { bits, name } = segment;
    const own = values.subarray(entry * words, (entry + count) * words);
    const target = bytes.subarray(at, at + segmentBytes(segment, words));
    if (bits === undefined) target.set(new Uint8Array(own.slice().buffer));
    else {
      for (let k = 0; k < count; k++) {
        const level = levelOf(own, k * words, words, bits);
        if (level === undefined)
          throw new RangeError(`a number of ${name} needs more than ${bits} bits`);
        writeBits(target, k * bits, bits, level);
      }
    }
    entry += count;
    at += target.length;
  }
  return bytes;
}

/** The entries of sent bytes; undefined if bits are set that belong to no number. */
export function unpackEntries(
  { segments, words }: Shape,
  bytes: Uint8Array,
): RingVector | undefined {
  const total = segments.reduce((sum, segment) => sum + entriesIn(segment), 0);
  const values = new Uint32Array(total * words);
  let [entry, at] = [0, 0];
  for (const segment of segments) {
    const count = entriesIn(segment);
    const { bits } = segment;
    const source = bytes.subarray(at, at + segmentBytes(segment, words));
    const own = values.subarray(entry * words, (entry + count) * words);
    if (bits === undefined) own.set(new Uint32Array(new Uint8Array(source).buffer));
    else {
      for (let k = 0; k < count; k++) {
        const level = readBits(source, k * bits, bits);
        own[k * words] = level;
        own.fill(level < 0 ? 0xffffffff : 0, k * words + 1, (k + 1) * words);
      }
      const used = (count * bits) % 8;
      if (used > 0 && source[source.length - 1] >> used !== 0) return undefined;
    }
    entry += count;
    at += source.length;
  }
  return values;
}

/** An entry as a signed whole number of at most 32 bits; undefined if it has more. */
function levelOf(values: RingVector, at: number, words: number, bits: number): number | undefined {
  const level = values[at] | 0;
  const sign = level < 0 ? 0xffffffff : 0;
  for (let k = 1; k < words; k++) if (values[at + k] !== sign) return undefined;
  const beyond = bits === 32 ? 0 : level >> (bits - 1);
  return bits === 32 || beyond === 0 || beyond === -1 ? level : undefined;
}

function writeBits(target: Uint8Array, from: number, bits: number, level: number): void {
  for (let done = 0; done < bits; ) {
    const place = from + done;
    const room = Math.min(8 - (place & 7), bits - done);
    const part = (level >>> done) & ((1 << room) - 1);
    target[place >> 3] |= part << (place & 7);
    done += room;
  }
}

function readBits(source: Uint8Array, from: number, bits: number): number {
  let level = 0;
  for (let done = 0; done < bits; ) {
    const place = from + done;
    const room = Math.min(8 - (place & 7), bits - done);
    level |= ((source[place >> 3] >> (place & 7)) & ((1 << room) - 1)) << done;
    done += room;
  }
  return bits === 32 ? level : (level << (32 - bits)) >> (32 - bits);
}
