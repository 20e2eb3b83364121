import type { ReadableColumn } from './said-column.ts';

/**
 * What becomes of a cell that the codebook does not allow. `refuse`: the file is refused. `allow`: a number outside its
 * range is read as it is, and any other such cell is missing.
 */
export type Misfits = 'refuse' | 'allow';

/**
 * A run of rows as typed columns. A number column holds values, a category column holds
 * level indices (0, 1, …) in the codebook's order, an id column holds equal numbers for equal texts;
 * NaN marks a missing cell.
 * The arrays may be reused by the reader once the consumer returns.
 */
export interface Block {
  readonly rows: number;
  readonly columns: readonly Float64Array[];
  /** Whether the reader knows that no cell is missing. */
  readonly complete?: boolean;
}

/** Rows of a full block: as many values as stay small, whatever the number of columns (16 MB). */
export function rowsPerBlock(columns: number): number {
  return Math.min(4096, Math.max(64, Math.floor(2 ** 21 / Math.max(1, columns))));
}

/** A column to read: how the codebook describes its cells, and what becomes of others; they are refused unless stated. */
export interface ColumnToRead {
  readonly name: string;
  readonly column: ReadableColumn;
  readonly misfits?: Misfits;
  /** The level of a category that a text of this file stands for. */
  readonly spellings?: ReadonlyMap<string, string>;
}

/** The origin of a block's rows, for messages. */
export interface Origin {
  readonly file: string;
  /** The file's data row (from 1) of row r of the block. */
  rowOf(r: number): number;
  /** Takes rows that a part of the formula has no value for; without it such a row is refused. */
  valueless?(r: number, part: 'predictor' | 'response'): void;
}

/** Consumes blocks in file order; `firstRow` is the data row (from 1) the block starts at. */
export type BlockSink = (block: Block, firstRow: number) => void;
