import { DataError } from '../data-error.ts';
import type { Place } from '../failure.ts';
import { parseDecimal } from '../numeric/decimal.ts';
import {
  type CategoryColumn,
  type Column,
  defaultMissing,
  type IdColumn,
  type NumberColumn,
} from '../study/codebook.ts';
import type { ColumnToRead } from './columns.ts';
import { cellWas, type Field, LARGEST_MAGNITUDE } from './csv-fields.ts';
import { notANumber, outOfRange, unknownLevel } from './csv-refusals.ts';
import type { SaidColumn } from './said-column.ts';

/** How the cells of one column become values: what the kernel knows in advance, and what it must ask for. */
export interface CellReading {
  readonly field: Omit<Field, 'out' | 'spellings'>;
  /** Texts whose value is known; NaN marks a missing cell. */
  readonly known: readonly (readonly [string, number])[];
  /** The value of any other text, or a refusal. */
  settle(text: string, how: number, place: Place): number;
}

export function readingOf({
  column,
  misfits = 'refuse',
  spellings = new Map(),
}: Omit<ColumnToRead, 'name'>): CellReading {
  if (column.type === 'said') return saidReading(column);
  if (column.type === 'id') return idReading(column);
  const reading =
    column.type === 'number' ? numberReading(column) : categoryReading(column, spellings);
  return misfits === 'refuse' ? reading : tolerantReading(column, reading);
}

/** The same reading without refusals. Numbers too large for the arithmetic become the largest it can hold. */
function tolerantReading(column: Column, { field, known, settle }: CellReading): CellReading {
  const wide = [-LARGEST_MAGNITUDE, LARGEST_MAGNITUDE] as const;
  return {
    field: field.kind === 'number' ? { ...field, range: wide } : field,
    known,
    settle(text, how, place) {
      if ((how & cellWas.outOfRange) !== 0 && column.type === 'number') {
        return largestOf(parseDecimal(trimBlanks(text), column.decimal ?? '.')!);
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

/** The text without blanks around it. */
export function trimBlanks(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, '');
}

/** Whether a text is the canonical form of a number that float64 can represent uniquely. */
export function isCanonicalNumber(text: string): boolean {
  const value = Number(text);
  return String(value) === text && isExactLevel(value);
}

/** Whether a number can name a level: finite, and at most 2⁵³ if it is an integer. */
export function isExactLevel(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

function numberReading(column: NumberColumn): CellReading {
  const decimal = column.decimal ?? '.';
  const markers = (column.missing ?? defaultMissing).map(trimBlanks);
  const [low, high] = column.range ?? [-Infinity, Infinity];
  return {
    field: {
      kind: 'number',
      decimal,
      range: [Math.max(low, -LARGEST_MAGNITUDE), Math.min(high, LARGEST_MAGNITUDE)],
      markers: markers.flatMap((marker) => parseDecimal(marker, decimal) ?? []),
    },
    known: markers.map((marker) => [marker, Number.NaN]),
    settle(text, how, place) {
      const trimmed = trimBlanks(text);
      if ((how & cellWas.outOfRange) !== 0) {
        throw outOfRange(parseDecimal(trimmed, decimal)!, column.range, place);
      }
      if (markers.includes(trimmed)) return Number.NaN;
      throw notANumber(text, place);
    },
  };
}

function categoryReading(
  column: CategoryColumn,
  spellings: ReadonlyMap<string, string>,
): CellReading {
  const { levels } = column;
  const markers = column.missing ?? defaultMissing.filter((marker) => !levels.includes(marker));
  const numbers = levels.every(isCanonicalNumber) ? levels.map(Number) : [];
  return {
    field: { kind: 'text' },
    known: [
      ...markers.map((marker) => [marker, Number.NaN] as const),
      ...levels.map((level, i) => [level, i] as const),
    ],
    settle(text, _how, place) {
      if (markers.includes(text)) return Number.NaN;
      const exact = levels.indexOf(spellings.get(text) ?? text);
      if (exact >= 0) return exact;
      const value = parseDecimal(trimBlanks(text));
      const same = value === undefined ? -1 : numbers.indexOf(value);
      if (same >= 0) return same;
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

function saidReading({ numbers, says }: SaidColumn): CellReading {
  const range = [-LARGEST_MAGNITUDE, LARGEST_MAGNITUDE] as const;
  return {
    field: numbers ? { kind: 'number', decimal: '.', range } : { kind: 'text' },
    known: [],
    settle: says,
  };
}
