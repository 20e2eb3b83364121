import { sipHash } from './sip-hash.ts';

/**
 * A keyed 64-bit tag of each row of a release, sorted: equal rows have equal tags, and without the site's key a tag tells
 * nothing of its row. Plain data that threads may send each other.
 */
export type RowTags = BigUint64Array;

/** Tags rows as they pass. */
export interface Tagger {
  /** Row r has the values `columns[k][indexOf(r)]`; columns are values or level codes, NaN where a cell is missing. */
  add(rows: number, columns: readonly ArrayLike<number>[], indexOf: (r: number) => number): void;
  finish(): RowTags;
}

const FIRST_ROWS = 4096;
const NAN_HIGH = 0x7ff80000;

/** Tags by SipHash-2-4 of the float64 bits of a row's values, −0 as 0 and all NaN as one; `key` is four words. */
export function tagger(key: Uint32Array): Tagger {
  const hash = sipHash(key);
  let tags = new Uint32Array(2 * FIRST_ROWS);
  let used = 0;
  let values = new Float64Array(0);
  let words = new Uint32Array(0);
  return {
    add(rows, columns, indexOf) {
      const width = columns.length;
      if (values.length < width) {
        values = new Float64Array(width);
        words = new Uint32Array(values.buffer);
      }
      if (used + 2 * rows > tags.length) {
        const wider = new Uint32Array(Math.max(2 * tags.length, used + 2 * rows));
        wider.set(tags.subarray(0, used));
        tags = wider;
      }
      for (let r = 0; r < rows; r++) {
        const row = indexOf(r);
        for (let k = 0; k < width; k++) {
          const value = columns[k][row];
          if (Number.isNaN(value)) {
            words[2 * k] = 0;
            words[2 * k + 1] = NAN_HIGH;
          } else {
            values[k] = value + 0; // −0 + 0 = 0
          }
        }
        hash(words, 8 * width, tags, used);
        used += 2;
      }
    },
    finish: () => new BigUint64Array(tags.buffer.slice(0, 4 * used)).sort(),
  };
}

/** The tags of all rows of some parts. */
export function joinTags(parts: readonly RowTags[]): RowTags {
  const all = new BigUint64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all.sort();
}

/** Eight bytes a tag, little-endian, smallest first. */
export function tagBytes(tags: RowTags): Uint8Array {
  return new Uint8Array(tags.buffer, tags.byteOffset, tags.byteLength);
}

/** The tags that were written, or undefined where these bytes are none: no whole number of tags, or not in order. */
export function tagsFromBytes(bytes: Uint8Array): RowTags | undefined {
  if (bytes.length % 8 !== 0) return undefined;
  // A copy: the bytes may be part of a larger buffer, and slice() of a Node buffer copies nothing.
  const tags = new BigUint64Array(new Uint8Array(bytes).buffer);
  for (let k = 1; k < tags.length; k++) if (tags[k - 1] > tags[k]) return undefined;
  return tags;
}
