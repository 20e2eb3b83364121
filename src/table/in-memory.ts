import { DataError } from '../data-error.ts';
import type { CategoryColumn, NumberColumn } from '../study/codebook.ts';
import { defaultMissing } from '../study/codebook.ts';
import type { Block, ColumnToRead } from './columns.ts';
import { largestOf, readingOf } from './csv-cells.ts';
import { levelFinder } from './levels.ts';

/** A cell in memory; null and undefined are missing. */
export type CellValue = number | string | boolean | null | undefined;

/**
 * Columns in memory as a block, checked against the codebook like a file: ranges, levels and missing markers
 * apply, nothing is guessed. `firstRow` is the row number of the first row in messages, from 1.
 */
export function inMemoryBlock(
  wanted: readonly ColumnToRead[],
  columns: Readonly<Record<string, ArrayLike<CellValue>>>,
  name = 'table',
  firstRow = 1,
): Block {
  const rows = wanted.length === 0 ? 0 : (columns[wanted[0].name]?.length ?? 0);
  return {
    rows,
    columns: wanted.map(({ name: column, column: rule, misfits }) => {
      const cells = columns[column];
      if (cells === undefined || cells.length !== rows) {
        throw new DataError(
          cells === undefined
            ? 'no such column'
            : `${cells.length} cells; other columns have ${rows}`,
          { file: name, column },
          `give every column the study asks for: ${wanted.map((one) => one.name).join(', ')}`,
        );
      }
      const { settle } = readingOf({ column: rule });
      const find = levelFinder(rule.type === 'category' ? rule.levels : []);
      return Float64Array.from({ length: rows }, (_, r) => {
        const place = { file: name, row: firstRow + r, column };
        const cell = cells[r];
        if (rule.type === 'number' || rule.type === 'category') {
          return misfits === 'allow'
            ? tolerantCell(rule, cell, find, place)
            : readCell(rule, cell, find, place);
        }
        return cell === null || cell === undefined ? Number.NaN : settle(String(cell), 0, place);
      });
    }),
  };
}

/** A number as it is, and a missing cell in place of a refusal. */
function tolerantCell(
  rule: NumberColumn | CategoryColumn,
  cell: CellValue,
  find: (text: string) => number,
  place: { file: string; row: number; column: string },
): number {
  const { range: _, ...unbounded } = rule as NumberColumn;
  try {
    return largestOf(readCell(rule.type === 'number' ? unbounded : rule, cell, find, place));
  } catch (failure) {
    if (failure instanceof DataError) return Number.NaN;
    throw failure;
  }
}

function readCell(
  rule: NumberColumn | CategoryColumn,
  cell: CellValue,
  find: (text: string) => number,
  place: { file: string; row: number; column: string },
): number {
  if (cell === null || cell === undefined) return Number.NaN;
  if ((rule.missing ?? defaultMissing).includes(String(cell))) return Number.NaN;
  if (rule.type === 'category') {
    const index = find(String(cell));
    if (index >= 0) return index;
    throw new DataError(
      `a level the codebook does not list (it lists ${rule.levels.length})`,
      place,
      'add the level to the codebook, or correct the cell',
    );
  }
  const value = typeof cell === 'string' ? Number.NaN : Number(cell);
  if (!Number.isFinite(value)) {
    throw new DataError('not a finite number', place, 'give numbers, or null for a missing one');
  }
  const [low, high] = rule.range ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  if (value >= low && value <= high) return value;
  throw new DataError(
    `outside the range ${low} to ${high}`,
    place,
    'check the unit, or widen the range in the codebook',
  );
}
