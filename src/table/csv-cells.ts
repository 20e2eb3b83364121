import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import type { Place } from '../failure.ts';
import { parseDecimal } from '../numeric/decimal.ts';
import {
  type CategoryColumn,
  defaultMissing,
  type IdColumn,
  type NumberColumn,
} from '../study/codebook.ts';
import { trimBlanks } from './cell-text.ts';
import type { ColumnToRead } from './columns.ts';
import { cellWas, type Field, LARGEST_MAGNITUDE } from './csv-fields.ts';
import { inDoubt, notANumber, outOfRange, unknownLevel } from './csv-refusals.ts';
import { levelFinder, logicalValue } from './levels.ts';
import { isMissingWord } from './missing-words.ts';
import type { Notation } from './notation.ts';
import type { ReadableColumn, SaidColumn } from './said-column.ts';
import { DAYS } from './written-date.ts';
import { sameUnit, writtenNumber } from './written-number.ts';

/** How the cells of one column become values: what the kernel knows in advance, and what it must ask for. */
export interface CellReading {
  readonly field: Omit<Field, 'out' | 'spellings'>;
  /** Texts whose value is known; NaN marks a missing cell. */
  readonly known: readonly (readonly [string, number])[];
  /** The value of any other text, or a refusal. */
  settle(text: string, how: number, place: Place): number;
}

/** `notation` is how the file writes the column; it decides before the codebook's decimal mark. */
export function readingOf(
  { column, misfits = 'refuse', spellings = new Map() }: Omit<ColumnToRead, 'name'>,
  notation: Notation = declared(column),
): CellReading {
  if (column.type === 'said') return saidReading(column, notation);
  if (column.type === 'id') return idReading(column);
  if (misfits === 'allow') return tolerantReading(column, spellings, notation);
  return column.type === 'number'
    ? numberReading(column, notation)
    : categoryReading(column, spellings);
}

function declared(column: ReadableColumn): Notation {
  return column.type === 'number' ? defined({ decimal: column.decimal }) : {};
}

/** The same reading without refusals. Numbers too large for the arithmetic become the largest it can hold. */
function tolerantReading(
  column: NumberColumn | CategoryColumn,
  spellings: ReadonlyMap<string, string>,
  notation: Notation,
): CellReading {
  const { field, known, settle } =
    column.type === 'number'
      ? numberReading(column, notation, [-Infinity, Infinity])
      : categoryReading(column, spellings);
  return {
    field,
    known,
    settle(text, how, place) {
      if ((how & cellWas.outOfRange) !== 0) {
        return largestOf(parseDecimal(trimBlanks(text), field.decimal)!);
      }
      try {
        return settle(text, how, place);
      } catch (failure) {
        if (failure instanceof DataError) return Number.NaN;
        throw failure;
      }
    },
  };
}

/** The number, or the largest one of its sign that the arithmetic can hold. */
export function largestOf(value: number): number {
  return Math.min(LARGEST_MAGNITUDE, Math.max(-LARGEST_MAGNITUDE, value));
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a cell, `""` unescaped; undefined if it is not valid UTF-8 or contains NUL. */
export function cellText(bytes: Uint8Array, how: number): string | undefined {
  try {
    const text = decoder.decode(bytes);
    if (text.includes('\0')) return undefined;
    return (how & cellWas.escaped) === 0 ? text : text.replaceAll('""', '"');
  } catch {
    return undefined;
  }
}

const byteDecoder = new TextDecoder('latin1');

/** A text for any bytes, another one for other bytes. */
export function textOfBytes(bytes: Uint8Array): string {
  return byteDecoder.decode(bytes);
}

function numberReading(
  column: NumberColumn,
  notation: Notation,
  range: readonly [number, number] = column.range ?? [-Infinity, Infinity],
): CellReading {
  const decimal = notation.decimal ?? '.';
  const texts = (column.missing ?? defaultMissing).map(trimBlanks);
  const markers = texts.flatMap((marker) => parseDecimal(marker, decimal) ?? []);
  const low = Math.max(range[0], -LARGEST_MAGNITUDE);
  const high = Math.min(range[1], LARGEST_MAGNITUDE);
  const isIndicator = column.range?.[0] === 0 && column.range[1] === 1;
  // A codebook that takes NA as missing takes the other words for it too.
  const isMissing = (text: string) =>
    texts.includes(text) || (texts.includes('NA') && isMissingWord(text));
  return {
    field: { kind: 'number', decimal, range: [low, high], markers },
    known: texts.map((marker) => [marker, Number.NaN]),
    settle(text, how, place) {
      const trimmed = trimBlanks(text);
      if ((how & cellWas.outOfRange) !== 0) {
        throw outOfRange(parseDecimal(trimmed, decimal)!, column.range, place);
      }
      if (isMissing(trimmed)) return Number.NaN;
      const logical = isIndicator ? logicalValue(trimmed) : undefined;
      if (logical !== undefined) return logical;
      const written = writtenNumber(trimmed, notation);
      if (typeof written === 'string' && column.unit === DAYS) throw inDoubt(written, place);
      if (typeof written !== 'object' || !sameUnit(written.unit, column.unit)) {
        throw notANumber(text, place);
      }
      const { value } = written;
      if (markers.includes(value)) return Number.NaN;
      if (value >= low && value <= high) return value;
      throw outOfRange(value, column.range, place);
    },
  };
}

function categoryReading(
  column: CategoryColumn,
  spellings: ReadonlyMap<string, string>,
): CellReading {
  const { levels } = column;
  const markers = column.missing ?? defaultMissing.filter((marker) => !levels.includes(marker));
  const find = levelFinder(levels);
  return {
    field: { kind: 'text' },
    known: [
      ...markers.map((marker) => [marker, Number.NaN] as const),
      ...levels.map((level, i) => [level, i] as const),
    ],
    settle(text, _how, place) {
      if (markers.includes(text) || markers.includes(trimBlanks(text))) return Number.NaN;
      const level = find(spellings.get(text) ?? text);
      if (level >= 0) return level;
      throw unknownLevel(text, levels, place);
    },
  };
}

/** Numbers texts in order of appearance: within one reading, equal texts (ignoring blanks around them) get equal numbers. */
function idReading({ missing = defaultMissing }: IdColumn): CellReading {
  const markers = missing.map(trimBlanks);
  const numbers = new Map<string, number>();
  return {
    field: { kind: 'text' },
    known: markers.map((marker) => [marker, Number.NaN]),
    settle(text) {
      const trimmed = trimBlanks(text);
      if (markers.includes(trimmed)) return Number.NaN;
      const number = numbers.get(trimmed) ?? numbers.size;
      numbers.set(trimmed, number);
      return number;
    },
  };
}

function saidReading({ numbers, says }: SaidColumn, notation: Notation): CellReading {
  const settle = (text: string) => says(text, notation);
  if (numbers === 'none') return { field: { kind: 'text' }, known: [], settle };
  const range = [-LARGEST_MAGNITUDE, LARGEST_MAGNITUDE] as const;
  return {
    field: { kind: 'number', decimal: notation.decimal ?? '.', range },
    known: [],
    settle(text) {
      if (numbers === 'plain') return settle(text);
      const written = writtenNumber(trimBlanks(text), notation);
      const isNumber = typeof written === 'object' && Math.abs(written.value) <= LARGEST_MAGNITUDE;
      return isNumber ? written.value : settle(text);
    },
  };
}
