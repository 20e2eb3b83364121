import { DataError } from '../data-error.ts';

/** Counts missing cells by column, or refuses the first one. */
export interface MissingCells {
  readonly counts: Readonly<Record<string, number>>;
  /** For one block: takes the column and row of a missing cell; `rowOf` gives the file's row, for the message. */
  counter(rowOf: (r: number) => number): (column: number, row: number) => void;
}

/** Handles the missing cells of these columns, given by name. */
export function missingCells(
  names: readonly string[],
  { file, missing }: { readonly file: string; readonly missing: 'drop' | 'refuse' },
): MissingCells {
  const counts: Record<string, number> = {};
  return {
    counts,
    counter: (rowOf) => (column, row) => {
      const name = names[column];
      if (missing === 'refuse') {
        throw new DataError(
          'the cell is missing',
          { file, row: rowOf(row), column: name },
          'complete the file, or let rows with missing cells be dropped',
          { name: 'missing', value: 'drop' },
        );
      }
      counts[name] = (counts[name] ?? 0) + 1;
    },
  };
}
