import { DataError } from '../../data-error.ts';
import { defaultMissing } from '../../study/codebook.ts';
import type { ColumnToRead } from '../../table/columns.ts';
import { DAYS } from '../../table/written-date.ts';
import type { AskedColumn, CellKind, DatabaseColumn } from './engine.ts';

type Codebook = ColumnToRead['column'];

/** How to bring a type to what the codebook wants, in a select. */
const casts: Readonly<Record<CellKind, string>> = {
  number: 'as it is',
  logical: 'x::int',
  text: 'x::double precision, if its texts are numbers',
  date: "x - date '1970-01-01'",
  other: 'x::text or a number of it',
};

/** Refuses a column whose type in the database is not the codebook's, by name, before any row is read. */
export function refuseOtherType(wanted: ColumnToRead, column: DatabaseColumn, file: string): void {
  if (fits(wanted.column, column.kind)) return;
  const isNumber = wanted.column.type === 'number';
  throw new DataError(
    `its type in the database is ${column.type}, and the study needs ${isNumber ? 'numbers' : 'text'}`,
    { file, column: column.name },
    `give a select after # that changes the type, such as ${casts[column.kind].replaceAll('x', column.name)}${
      isNumber && column.kind === 'text' ? '; or take it as a category' : ''
    }`,
  );
}

function fits(column: Codebook, kind: CellKind): boolean {
  if (kind === 'other') return false;
  if (column.type !== 'number') return true;
  if (kind === 'date') return column.unit === DAYS;
  // As in a file: TRUE and FALSE are numbers where the range is 0 to 1.
  if (kind === 'logical') return column.range?.[0] === 0 && column.range[1] === 1;
  return kind === 'number';
}

/** Refuses types that no codebook describes, before a draft. */
export function refuseUnknownType({ name, kind, type }: DatabaseColumn, file: string): void {
  if (kind !== 'other') return;
  throw new DataError(
    `its type in the database is ${type}, which is neither a number, a truth value, a date nor text`,
    { file, column: name },
    `leave the column out, or give a select after # that changes its type, such as ${name}::text`,
  );
}

/** The words of a logical column: those of the levels where they are t and f, as an export has them, else true and false. */
export function logicalWords(levels: readonly string[] = []): readonly [string, string] {
  const isShort = levels.some((level) => ['t', 'f'].includes(level.trim()));
  return isShort ? ['t', 'f'] : ['true', 'false'];
}

/** How a column is asked for: NULL becomes a marker of the codebook, an empty cell where that is one. */
export function askedColumn({ name, column }: ColumnToRead): AskedColumn {
  const words = logicalWords(column.type === 'category' ? column.levels : []);
  const markers = column.type === 'said' ? defaultMissing : (column.missing ?? defaultMissing);
  const marker = markers.some((text) => text.trim() === '') ? undefined : markers[0];
  return { name, words, ...(marker === undefined ? {} : { missing: marker }) };
}
