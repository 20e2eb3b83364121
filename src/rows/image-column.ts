import { defaultMissing } from '../study/codebook.ts';
import type { ColumnToRead } from '../table/columns.ts';
import { readingOf } from '../table/csv-cells.ts';
import { cellWas } from '../table/csv-fields.ts';

/** Takes every `step`th byte from `place` on, `count` of them, as the cells of a column. */
type TakeColumn = (
  bytes: ArrayLike<number>,
  place: number,
  step: number,
  count: number,
  firstRow: number,
) => Float64Array;

/** How the bytes of images become the cells of a column: as numbers, or as the texts that they stand for. */
export function imageColumn(
  wanted: ColumnToRead,
  texts: readonly string[] | undefined,
  file: string,
): TakeColumn {
  if (texts === undefined && standsForItself(wanted)) {
    let cells = new Float64Array(0);
    return (bytes, place, step, count) => {
      if (cells.length !== count) cells = new Float64Array(count);
      for (let r = 0, at = place; r < count; r++, at += step) cells[r] = bytes[at];
      return cells;
    };
  }
  const read = cellOf(wanted);
  const known = new Map<number, number>();
  return (bytes, place, step, count, firstRow) => {
    const cells = new Float64Array(count);
    for (let r = 0, at = place; r < count; r++, at += step) {
      const byte = bytes[at];
      let value = known.get(byte);
      if (value === undefined) {
        const cell = texts === undefined ? byte : texts[byte];
        value = read(cell, { file, row: firstRow + r, column: wanted.name });
        known.set(byte, value);
      }
      cells[r] = value;
    }
    return cells;
  };
}

/** Whether every number from 0 to 255 is read as it is. */
function standsForItself({ column }: ColumnToRead): boolean {
  if (column.type === 'said') return column.numbers !== 'none';
  if (column.type !== 'number') return false;
  const [low, high] = column.range ?? [0, 255];
  const markers = column.missing ?? defaultMissing;
  return (
    low <= 0 && high >= 255 && markers.every((marker) => Number.isNaN(Number.parseFloat(marker)))
  );
}

type Where = { readonly file: string; readonly row: number; readonly column: string };

/** The value of a text or of a number; NaN where it is missing, or a refusal. */
function cellOf(wanted: ColumnToRead): (cell: string | number, place: Where) => number {
  const { column } = wanted;
  const { field, known, settle } = readingOf(wanted);
  const values = new Map(known.toReversed());
  return (cell, place) => {
    if (column.type === 'number' && typeof cell === 'number') {
      if (field.markers?.includes(cell)) return Number.NaN;
      const [low, high] = field.range!;
      if (cell >= low && cell <= high) return cell;
      return settle(String(cell), cellWas.outOfRange, place);
    }
    return values.get(String(cell)) ?? settle(String(cell), 0, place);
  };
}
