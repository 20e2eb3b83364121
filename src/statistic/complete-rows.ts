import type { Block } from '../table/columns.ts';

/** The rows of a block with no missing cell, moved together, and where they came from. */
export interface CompleteRows {
  readonly block: Block;
  /** Index in the original block of each remaining row; undefined when none was dropped. */
  readonly origin: Int32Array | undefined;
}

/**
 * Leaves out rows with a missing cell. `count` is called once for every missing cell with the
 * index of its column, so that a site can see which column cost it rows.
 */
export function completeRows(
  block: Block,
  count: (column: number, row: number) => void,
): CompleteRows {
  if (block.complete) return { block, origin: undefined };
  let incomplete: Uint8Array | undefined;
  block.columns.forEach((values, column) => {
    if (!mayMiss(values, block.rows)) return;
    for (let r = 0; r < block.rows; r++) {
      if (!Number.isNaN(values[r])) continue;
      incomplete ??= new Uint8Array(block.rows);
      incomplete[r] = 1;
      count(column, r);
    }
  });
  if (incomplete === undefined) return { block, origin: undefined };
  const keep: number[] = [];
  for (let r = 0; r < block.rows; r++) if (incomplete[r] === 0) keep.push(r);
  return rowsAt(block, Int32Array.from(keep));
}

/** Whether a cell may be missing: NaN spreads through a sum, which is faster than testing every cell. */
function mayMiss(values: Float64Array, rows: number): boolean {
  let even = 0;
  let odd = 0;
  for (let r = 0; r + 1 < rows; r += 2) {
    even += values[r];
    odd += values[r + 1];
  }
  if (rows % 2 === 1) even += values[rows - 1];
  return Number.isNaN(even + odd);
}

/** Leaves out rows with zero weight (the last column): R does not count them at all, not even as missing. */
export function weightedRows({ block, origin }: CompleteRows): CompleteRows {
  const weights = block.columns[block.columns.length - 1];
  if (!weights.subarray(0, block.rows).includes(0)) return { block, origin };
  const keep: number[] = [];
  for (let r = 0; r < block.rows; r++) if (weights[r] !== 0) keep.push(r);
  const picked = rowsAt(block, Int32Array.from(keep));
  return { block: picked.block, origin: picked.origin.map((r) => origin?.[r] ?? r) };
}

/** Some rows of a block, by their indices. */
export function rowsAt(block: Block, origin: Int32Array): { block: Block; origin: Int32Array } {
  const columns = block.columns.map((values) => {
    const kept = new Float64Array(origin.length);
    for (let k = 0; k < origin.length; k++) kept[k] = values[origin[k]];
    return kept;
  });
  return { block: { rows: origin.length, columns }, origin };
}
