/**
 * A run of rows as typed columns. A number column holds values, a category column holds
 * level indices (0, 1, …) in the codebook's order, an id column holds equal numbers for equal texts;
 * NaN marks a missing cell.
 * The arrays may be reused by the reader once the consumer returns.
 */
export interface Block {
  readonly rows: number;
  readonly columns: readonly Float64Array[];
}

/** The origin of a block's rows, for messages. */
export interface Origin {
  readonly file: string;
  /** The file's data row (from 1) of row r of the block. */
  rowOf(r: number): number;
}

/** Consumes blocks in file order; `firstRow` is the data row (from 1) the block starts at. */
export type BlockSink = (block: Block, firstRow: number) => void;
