import type { Agreement } from '../federate.ts';
import type { Column, NumberColumn } from '../study/codebook.ts';
import { DAYS, dateText } from '../table/written-date.ts';
import { grouped } from '../text/number-text.ts';
import { visibleText } from '../text/visible-text.ts';

/** Columns and what their cells may be, a line each. */
export function columnLines(columns: Agreement['columns']): string[] {
  const width = Math.max(...columns.map(({ name }) => visibleText(name).length));
  return columns.map(
    ({ name, column }) => `  ${visibleText(name).padEnd(width)}  ${cellsText(column)}`,
  );
}

/** A column of days, for a person who has dates. */
function dateColumnText({ range }: NumberColumn): string {
  const between = range === undefined ? '' : `, from ${range.map(dateText).join(' to ')}`;
  return `date${between}; or a number in ${DAYS}`;
}

const SHOWN_LEVELS = 12;

/** What the cells of a column may be. */
export function cellsText(column: Column): string {
  if (column.type === 'number') {
    if (column.unit === DAYS) return dateColumnText(column);
    const unit = column.unit === undefined ? '' : ` in ${visibleText(column.unit)}`;
    const range = column.range === undefined ? '' : `, from ${column.range.join(' to ')}`;
    return `number${unit}${range}`;
  }
  if (column.type === 'id') return 'says whose row it is; it is never sent';
  const shown = column.levels.slice(0, SHOWN_LEVELS).map((text) => visibleText(text));
  const rest = column.levels.length - shown.length;
  return `one of ${shown.join(', ')}${rest > 0 ? ` and ${grouped(rest)} more` : ''}`;
}
