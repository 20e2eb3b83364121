import { DataError } from '../data-error.ts';
import type { Mismatch } from '../protocol/messages.ts';

/** The refusal of a file whose columns do not match the study. */
export class MismatchedColumns extends DataError {
  readonly mismatches: readonly Mismatch[];
  /** Columns whose cells look like numbers with the other decimal mark. */
  readonly otherDecimals: readonly string[];

  constructor(mismatches: readonly Mismatch[], otherDecimals: readonly string[], file: string) {
    const count = new Set(mismatches.map(({ column }) => column)).size;
    super(
      `${count} ${count === 1 ? 'column does' : 'columns do'} not match the study; no statistic was made`,
      { file },
      'correct the file, or say what its names and texts mean, and try again',
    );
    this.name = 'MismatchedColumns';
    this.mismatches = mismatches;
    this.otherDecimals = otherDecimals;
  }
}
