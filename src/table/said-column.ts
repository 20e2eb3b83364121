import type { Column } from '../study/codebook.ts';

/** A column read for what its cells say, without a codebook: no cell is refused. */
export interface SaidColumn {
  readonly type: 'said';
  /** Whether a cell that is a number stands for itself; `says` then gets the other cells only. */
  readonly numbers: boolean;
  /** The value of a cell's text; NaN for a missing cell. */
  says(text: string): number;
}

/** A column of a file, read by the codebook or for what its cells say. */
export type ReadableColumn = Column | SaidColumn;
