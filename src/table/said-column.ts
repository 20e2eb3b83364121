import type { Column } from '../study/codebook.ts';
import type { Notation } from './notation.ts';

/** A column read for what its cells say, without a codebook: no cell is refused. */
export interface SaidColumn {
  readonly type: 'said';
  /**
   * Which numbers stand for themselves, so that `says` gets the other cells only: `plain` ones, those `written` in any form
   * (1,234 or 78.6% or a date), or none.
   */
  readonly numbers: 'none' | 'plain' | 'written';
  /** The value of a cell's text, which the file writes in this notation; NaN for a missing cell. */
  says(text: string, notation: Notation): number;
}

/** A column of a file, read by the codebook or for what its cells say. */
export type ReadableColumn = Column | SaidColumn;
