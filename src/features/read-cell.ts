import type { Failure } from '../failure.ts';
import type { Column } from '../study/codebook.ts';
import { columnInterval } from './reference.ts';

/** A cell as a number; values outside the codebook's range are allowed. */
export function readCell(
  name: string,
  column: Column,
  cell: number | string | undefined,
): number | Failure {
  if (cell === undefined) {
    return {
      problem: `no value for ${name} was given`,
      remedy: 'give every column the model uses',
    };
  }
  if (column.type === 'category') {
    const index = column.levels.indexOf(String(cell));
    if (index >= 0) return index;
    return {
      problem: `${name} has no level ${cell}`,
      remedy: `its levels are ${column.levels.join(', ')}`,
    };
  }
  const value = typeof cell === 'string' && cell.trim() === '' ? Number.NaN : Number(cell);
  if (Number.isFinite(value)) return value;
  return { problem: `${name} must be a number`, remedy: 'write it with a decimal point' };
}

/** A cell that the column may hold. */
export function anyCell(column: Column): number {
  if (column.type !== 'number') return 0;
  if (column.levels !== undefined && column.levels.length > 0) return Number(column.levels[0]);
  const interval = columnInterval(column);
  return interval === undefined ? 0 : interval.low / 2 + interval.high / 2;
}
