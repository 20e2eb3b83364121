/**
 * A run of rows as typed columns. A number column holds values, a category column holds
 * level indices (0, 1, …) in the codebook's order, an id column numbers that are equal where its texts
 * are; NaN marks a missing cell in any.
 * The arrays may be reused by the reader once the consumer returns.
 */
export interface Block {
  readonly rows: number;
  readonly columns: readonly Float64Array[];
}

/** Where the rows of a block come from, for messages. */
export interface Origin {
  readonly file: string;
  /** The data row of the file (from 1) that row r of the block was. */
  rowOf(r: number): number;
}

/** Consumes blocks in file order; `firstRow` is the data row (from 1) the block starts at. */
export type BlockSink = (block: Block, firstRow: number) => void;
