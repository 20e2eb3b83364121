import type { CellCounts } from './residues.ts';
import type { RowTags } from './row-tags.ts';

/** A release, and the tags of all rows of the present file over its columns. */
export interface TaggedRelease {
  readonly at: string;
  readonly tags: RowTags;
  /** In the order of the file; releases with the same columns share this array. */
  readonly fileTags: BigUint64Array;
}

/** The counts of a release, and whether the file has all its rows. */
export interface FileCounts extends CellCounts {
  readonly isWhole: boolean;
}

/**
 * Counts rows by cells: rows of the file with the same tags over the columns of every release are one cell. So releases
 * with other columns are compared row by row. A row that the file no longer has is a cell of the releases with the same
 * columns. Of rows that look alike to a release, it has
 * the first ones, and any that the file has not count with them.
 */
export function rowCells(
  used: Uint8Array,
  releases: readonly TaggedRelease[],
): { readonly now: Int32Array; readonly past: readonly FileCounts[] } {
  const rows = used.length;
  const keys = [...new Set(releases.map(({ fileTags }) => fileTags))].map((fileTags) => {
    const own = releases.filter((release) => release.fileTags === fileTags);
    return { fileTags, own, ...groupsOf([fileTags, ...own.map(({ tags }) => tags)]) };
  });
  const { groups: cellOf, count: fileCells } = groupsOf([mixed(rows, keys)]);
  const now = new Int32Array(fileCells);
  for (let r = 0; r < rows; r++) now[cellOf[r]] += used[r];
  let cells = fileCells;
  const counted: Counted[] = [];
  for (const { own, groups, count } of keys) {
    const gone = new Int32Array(count).fill(-1);
    const first = new Int32Array(count).fill(-1);
    for (let r = rows - 1; r >= 0; r--) first[groups[r]] = cellOf[r];
    let start = rows;
    for (const { at, tags } of own) {
      const left = new Int32Array(count);
      for (let k = 0; k < tags.length; k++) left[groups[start + k]]++;
      start += tags.length;
      const inFile = new Int32Array(fileCells);
      for (let r = 0; r < rows; r++) {
        if (left[groups[r]] === 0) continue;
        left[groups[r]]--;
        inFile[cellOf[r]]++;
      }
      const notInFile: [number, number][] = [];
      const isWhole = left.every((count) => count === 0);
      for (let group = 0; group < count; group++) {
        if (left[group] === 0) continue;
        if (first[group] >= 0) {
          inFile[first[group]] += left[group];
          continue;
        }
        if (gone[group] < 0) gone[group] = cells++;
        notInFile.push([gone[group], left[group]]);
      }
      counted.push({ at, isWhole, inFile, notInFile });
    }
  }
  return {
    now: allCells({ inFile: now, notInFile: [] }, cells),
    past: counted.map(({ at, isWhole, ...one }) => ({ at, isWhole, counts: allCells(one, cells) })),
  };
}

/** Counts persons: each release has its own set of them. */
export function personCells(
  now: RowTags,
  releases: readonly { readonly at: string; readonly people: RowTags }[],
): { readonly now: Int32Array; readonly past: readonly CellCounts[] } {
  const { groups, count } = groupsOf([now, ...releases.map(({ people }) => people)]);
  let start = 0;
  const next = (tags: RowTags) => {
    const counts = new Int32Array(count);
    for (let k = 0; k < tags.length; k++) counts[groups[start + k]]++;
    start += tags.length;
    return counts;
  };
  const present = next(now);
  return {
    now: present,
    past: releases.map(({ at, people }) => ({ at, counts: next(people) })),
  };
}

/** Numbers the distinct tags of several lists, one after the other. */
function groupsOf(parts: readonly BigUint64Array[]): { groups: Int32Array; count: number } {
  const total = parts.reduce((sum, part) => sum + part.length, 0);
  const words = new Uint32Array(2 * total);
  let at = 0;
  for (const part of parts) {
    words.set(new Uint32Array(part.buffer, part.byteOffset, 2 * part.length), at);
    at += 2 * part.length;
  }
  const mask = 2 ** Math.ceil(Math.log2(2 * total + 2)) - 1;
  const table = new Int32Array(mask + 1).fill(-1);
  const groups = new Int32Array(total);
  let count = 0;
  for (let k = 0; k < total; k++) {
    let slot = words[2 * k] & mask;
    let other = table[slot];
    while (
      other >= 0 &&
      (words[2 * other] !== words[2 * k] || words[2 * other + 1] !== words[2 * k + 1])
    ) {
      slot = (slot + 1) & mask;
      other = table[slot];
    }
    if (other < 0) {
      table[slot] = k;
      groups[k] = count++;
    } else {
      groups[k] = groups[other];
    }
  }
  return { groups, count };
}

/** One tag for each row of the file, from its tags over all sets of columns. */
function mixed(
  rows: number,
  keys: readonly { readonly fileTags: BigUint64Array }[],
): BigUint64Array {
  const tags = new BigUint64Array(rows);
  const words = new Uint32Array(tags.buffer);
  for (const { fileTags } of keys) {
    const own = new Uint32Array(fileTags.buffer, fileTags.byteOffset, 2 * rows);
    for (let k = 0; k < words.length; k++) words[k] = Math.imul(words[k], 0x9e3779b1) + own[k];
  }
  return tags;
}

/** The counts of a release in the cells of the file, and in other cells. */
interface Counted {
  readonly at: string;
  readonly isWhole: boolean;
  readonly inFile: Int32Array;
  readonly notInFile: readonly (readonly [number, number])[];
}

function allCells(
  { inFile, notInFile }: Omit<Counted, 'at' | 'isWhole'>,
  cells: number,
): Int32Array {
  const all = new Int32Array(cells);
  all.set(inFile);
  for (const [cell, count] of notInFile) all[cell] = count;
  return all;
}
