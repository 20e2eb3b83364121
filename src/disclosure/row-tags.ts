import { sipHash } from './sip-hash.ts';

/**
 * A keyed 64-bit tag of each row of a release, sorted: equal rows have equal tags, and without the site's key a tag says
 * nothing about its row. Plain data that threads may send each other.
 */
export type RowTags = BigUint64Array;

/** Tags rows as they pass. */
export interface Tagger {
  /** Row r has the values `columns[k][indexOf(r)]`: what its cells say, NaN for a missing cell. */
  add(rows: number, columns: readonly ArrayLike<number>[], indexOf: (r: number) => number): void;
  finish(): RowTags;
  /** The tags in the order of the rows. */
  inOrder(): BigUint64Array;
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
  const inOrder = () => new BigUint64Array(tags.buffer.slice(0, 4 * used));
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
    inOrder,
    finish: () => inOrder().sort(),
  };
}

/** The sorted tags of several sets of rows together. */
export function joinTags(parts: readonly RowTags[]): RowTags {
  const all = new BigUint64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all.sort();
}

/** Tags as bytes: eight each, little-endian, smallest first. */
export function tagBytes(tags: RowTags): Uint8Array {
  return new Uint8Array(tags.buffer, tags.byteOffset, tags.byteLength);
}

/** The tags in these bytes; undefined if the length is wrong or the tags are not in order. */
export function tagsFromBytes(bytes: Uint8Array): RowTags | undefined {
  if (bytes.length % 8 !== 0) return undefined;
  // A copy: the bytes may be part of a larger buffer, and slice() of a Node buffer does not copy.
  const tags = new BigUint64Array(new Uint8Array(bytes).buffer);
  for (let k = 1; k < tags.length; k++) if (tags[k - 1] > tags[k]) return undefined;
  return tags;
}

/** How the rows of two releases differ; a row that occurs twice counts twice. */
export interface Difference {
  readonly onlyA: number;
  readonly onlyB: number;
  readonly common: number;
}

/** Compares two multisets of rows by merging their sorted tags. */
export function symmetricDifference(a: RowTags, b: RowTags): Difference {
  const common = a.length - without(a, b).length;
  return { onlyA: a.length - common, onlyB: b.length - common, common };
}

/** The rows of `a` without those of `b`, as multisets. */
export function without(a: RowTags, b: RowTags): RowTags {
  const rest = new BigUint64Array(a.length);
  let left = 0;
  let j = 0;
  for (const tag of a) {
    while (j < b.length && b[j] < tag) j++;
    if (j < b.length && b[j] === tag) j++;
    else rest[left++] = tag;
  }
  return rest.slice(0, left);
}
