import { inKernel } from '../numeric/in-kernel.ts';
import { sharedKernels } from '../numeric/kernels.ts';
import { sipHash } from './sip-hash.ts';

/**
 * A keyed 64-bit tag of each row of a release, sorted: equal rows have equal tags, and without the site's key a tag says
 * nothing about its row. Plain data that threads may send each other.
 */
export type RowTags = BigUint64Array;

/** Tags rows as they pass. */
export interface Tagger {
  /**
   * Row r has the values `columns[k][indexOf(r)]`: what its cells say, NaN for a missing cell. Returns the number of missing
   * cells.
   */
  add(rows: number, columns: readonly ArrayLike<number>[], indexOf?: (r: number) => number): number;
  finish(): RowTags;
  /** The tags in the order of the rows, in parts. */
  parts(): readonly BigUint64Array[];
}

/** Tags are kept in parts of this size: a growing array would leave its smaller copies in memory. */
const PART_ROWS = 2 ** 16;
/** Values and rows that the kernel gets at a time: copies stay in the second-level cache, and tags fit its scratch memory. */
const MOST_VALUES = 2 ** 16;
const MOST_ROWS = 2 ** 12;
/** The kernel tags this many rows together. */
const ROWS_TOGETHER = 6;

/** Tags by SipHash-2-4 of the float64 bits of a row's values, −0 as 0 and all NaN as one; `key` is four words. */
export function tagger(key: Uint32Array): Tagger {
  if (key.length !== 4) throw new RangeError(`a tag key is four words; not ${key.length}`);
  const full: BigUint64Array[] = [];
  let part = new BigUint64Array(PART_ROWS);
  let used = 0;
  const parts = () => [...full, part.subarray(0, used)];
  return {
    add(rows, columns, indexOf) {
      const most = Math.max(
        ROWS_TOGETHER,
        Math.min(MOST_ROWS, Math.floor(MOST_VALUES / Math.max(1, columns.length))),
      );
      let missing = 0;
      for (let from = 0; from < rows; ) {
        if (used === PART_ROWS) {
          full.push(part);
          part = new BigUint64Array(PART_ROWS);
          used = 0;
        }
        const count = Math.min(most, rows - from, PART_ROWS - used);
        const picked = columns.map((column) => valuesAt(column, from, count, indexOf));
        missing += tagInKernel(key, picked, count, part.subarray(used, used + count));
        used += count;
        from += count;
      }
      return missing;
    },
    parts,
    finish: () => sortedTags(parts()),
  };
}

function valuesAt(
  column: ArrayLike<number>,
  from: number,
  count: number,
  indexOf: ((r: number) => number) | undefined,
): Float64Array {
  if (indexOf !== undefined) {
    return Float64Array.from({ length: count }, (_, r) => column[indexOf(from + r)]);
  }
  if (column instanceof Float64Array) return column.subarray(from, from + count);
  return Float64Array.from({ length: count }, (_, r) => column[from + r]);
}

/** Writes the tags of some rows, and returns how many of their values are NaN. */
function tagInKernel(
  key: Uint32Array,
  columns: readonly Float64Array[],
  rows: number,
  out: BigUint64Array,
): number {
  const table = 8 * (rows + ROWS_TOGETHER);
  const keyAt = table + 8 * Math.ceil(columns.length / 2);
  return inKernel(columns, rows, keyAt + 16, (kernels, pointers, at) => {
    const { buffer } = kernels.memory;
    new Uint32Array(buffer, at + table, columns.length).set(pointers);
    new Uint32Array(buffer, at + keyAt, 4).set(key);
    const missing = kernels.call.tagRows(at + table, columns.length, rows, at + keyAt, at);
    out.set(new BigUint64Array(buffer, at, rows));
    return missing;
  });
}

/** The tag of one row: the specification of the kernel. */
export function tagTwin(key: Uint32Array, row: readonly number[]): bigint {
  const values = Float64Array.from(row, (value) => value + 0); // −0 + 0 = 0
  const words = new Uint32Array(values.buffer);
  row.forEach((value, k) => {
    if (Number.isNaN(value)) words.set([0, 0x7ff80000], 2 * k);
  });
  const tag = new Uint32Array(2);
  sipHash(key)(words, values.byteLength, tag, 0);
  return new BigUint64Array(tag.buffer)[0];
}

/** The tags of several parts of a file, in the order of its rows. */
export function tagsInOrder(parts: readonly BigUint64Array[]): BigUint64Array {
  const all = new BigUint64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Above this, sorting in the kernel would take a gigabyte. */
const MOST_IN_KERNEL = 2 ** 26;

/**
 * The tags of the used rows, or of all, sorted: by their first byte here, and those of one byte in the kernel's small memory.
 * The tags are those of several parts of a file, in order.
 */
export function sortedTags(parts: readonly BigUint64Array[], used?: Uint8Array): RowTags {
  // Signed words of 32 bits: each read of a 64-bit one, or of one that is no small integer, would make an object.
  const all = parts.map(wordsIn);
  const sizes = new Uint32Array(256);
  let row = 0;
  for (const words of all) {
    for (let from = 0; from < words.length; from += 2, row++) {
      if (used === undefined || used[row] === 1) sizes[words[from + 1] >>> 24]++;
    }
  }
  let count = 0;
  const next = sizes.map((size) => {
    count += size;
    return count - size;
  });
  const sorted = new BigUint64Array(count);
  const to = wordsIn(sorted);
  row = 0;
  for (const words of all) {
    for (let from = 0; from < words.length; from += 2, row++) {
      if (used !== undefined && used[row] !== 1) continue;
      const high = words[from + 1];
      const at = 2 * next[high >>> 24]++;
      to[at] = words[from];
      to[at + 1] = high;
    }
  }
  next.forEach((end, byte) => {
    if (sizes[byte] > 1) sortHere(sorted.subarray(end - sizes[byte], end));
  });
  return sorted;
}

function wordsIn(tags: BigUint64Array): Int32Array {
  return new Int32Array(tags.buffer, tags.byteOffset, 2 * tags.length);
}

function sortHere(tags: BigUint64Array): void {
  if (tags.length > MOST_IN_KERNEL) {
    tags.sort();
    return;
  }
  const kernels = sharedKernels();
  kernels.scoped(() => {
    const [from, spare] = [0, 1].map(() => kernels.allocate(tags.byteLength));
    const counts = kernels.allocate(2 * 256 * 4);
    const inKernel = new BigUint64Array(kernels.memory.buffer, from, tags.length);
    inKernel.set(tags);
    kernels.call.sortTags(from, spare, tags.length, counts);
    tags.set(inKernel);
  });
}

/** The sorted tags of several sets of rows together. */
export function joinTags(parts: readonly RowTags[]): RowTags {
  return sortedTags(parts);
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
