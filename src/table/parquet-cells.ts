import type { DecodedArray, SchemaElement } from 'hyparquet';
import { parseDecimal as wholeOfBytes } from 'hyparquet/src/convert.js';
import { DataError } from '../data-error.ts';
import type { Place } from '../failure.ts';
import { parseDecimal } from '../numeric/decimal.ts';
import type { NumberColumn } from '../study/codebook.ts';
import { isText, toText, trimBlanks } from './cell-text.ts';
import type { ColumnToRead, Misfits } from './columns.ts';
import { type CellReading, largestOf, readingOf } from './csv-cells.ts';
import { LARGEST_MAGNITUDE } from './csv-fields.ts';
import { outOfRange } from './csv-refusals.ts';
import { isDecimal, type ParquetPage } from './parquet-pages.ts';
import type { SaidColumn } from './said-column.ts';

/** A number, a level's index or NaN if missing; or a function that gives the value or refuses the cell, given its place. */
type Verdict = number | ((place: Place) => number);

/** How the values of a column are checked, and the interval (empty if low > high) in which numbers need no check. */
interface Rule {
  readonly judge: (value: unknown) => Verdict;
  readonly low: number;
  readonly high: number;
}

const NOWHERE = { low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY };

/** Turns pages of one column into cells by the codebook, and refuses what it does not allow. */
export function createCells(
  planned: Omit<ColumnToRead, 'name'>,
  element: SchemaElement,
  place: Place,
): (page: ParquetPage, firstRow: number) => Float64Array {
  const { column } = planned;
  const { judge, low, high } = ruleFor(planned, element);
  let known: DecodedArray | undefined;
  let verdicts: Verdict[] = [];

  return ({ rows, present, values: given, dictionary }, firstRow) => {
    const values = column.type === 'number' ? widen(given) : given;
    const whole = dictionary === undefined && present === undefined;
    if (whole && values instanceof Float64Array && allWithin(values, low, high)) return values;
    if (dictionary !== undefined && dictionary !== known) {
      known = dictionary;
      verdicts = Array.from(dictionary, judge);
    }
    const cells = new Float64Array(rows);
    for (let row = 0, next = 0; row < rows; row++) {
      if (present !== undefined && present[row] === 0) {
        cells[row] = Number.NaN;
        continue;
      }
      const value: unknown = values[next++];
      let verdict: Verdict;
      if (dictionary !== undefined) verdict = verdicts[value as number] ?? damaged;
      else if (typeof value === 'number' && value >= low && value <= high) verdict = value;
      else verdict = judge(value);
      cells[row] =
        typeof verdict === 'number' ? verdict : verdict({ ...place, row: firstRow + row });
    }
    return cells;
  };
}

function ruleFor(planned: Omit<ColumnToRead, 'name'>, element: SchemaElement): Rule {
  const rule = ruleOf(planned);
  if (!isDecimal(element)) return rule;
  const scale = decimalScale(element);
  return { judge: (value) => rule.judge(scale(value)), ...NOWHERE };
}

function ruleOf(planned: Omit<ColumnToRead, 'name'>): Rule {
  const { column, misfits = 'refuse' } = planned;
  if (column.type === 'said') return saidRule(column);
  const reading = readingOf(planned);
  return column.type === 'number' ? numberRule(column, misfits, reading) : levelRule(reading);
}

function saidRule({ numbers, says }: SaidColumn): Rule {
  const judge = (value: unknown): Verdict =>
    value === null || value === undefined ? Number.NaN : says(toText(value), {});
  if (numbers === 'none') return { judge, ...NOWHERE };
  return { judge, low: -LARGEST_MAGNITUDE, high: LARGEST_MAGNITUDE };
}

function numberRule(
  column: NumberColumn,
  misfits: Misfits,
  { field, known, settle }: CellReading,
): Rule {
  const [low, high] = field.range!;
  const markers = field.markers ?? [];
  const missing = new Set(known.map(([text]) => text));
  const judgeNumber = (number: number): Verdict => {
    const lost = missing.has(String(number)) || misfits === 'allow';
    if (!Number.isFinite(number)) return lost ? Number.NaN : notFinite;
    if (markers.includes(number)) return Number.NaN;
    if (number >= low && number <= high) return number;
    if (misfits === 'allow') return largestOf(number);
    return (place) => {
      throw outOfRange(number, column.range, place);
    };
  };
  const judge = (value: unknown): Verdict => {
    if (value === null || value === undefined) return Number.NaN;
    if (!isText(value)) return judgeNumber(Number(value));
    const text = toText(value);
    if (missing.has(text)) return Number.NaN;
    const number = parseDecimal(trimBlanks(text), column.decimal);
    return number === undefined ? (place) => settle(text, 0, place) : judgeNumber(number);
  };
  const marked = markers.some((marker) => marker >= low && marker <= high);
  return marked ? { judge, ...NOWHERE } : { judge, low, high };
}

function levelRule({ known, settle }: CellReading): Rule {
  const indices = new Map(known.toReversed());
  const judge = (value: unknown): Verdict => {
    if (value === null || value === undefined) return Number.NaN;
    const text = toText(value);
    return indices.get(text) ?? ((place) => settle(text, 0, place));
  };
  return { judge, ...NOWHERE };
}

function notFinite(place: Place): never {
  throw new DataError(
    'the value is not finite',
    place,
    'Write null for a missing value, or list "NaN" as a missing marker in the codebook.',
    { name: 'missing-marker', value: 'NaN' },
  );
}

function damaged(place: Place): never {
  throw new DataError('the Parquet file is damaged', place, 'Write the file again.');
}

function allWithin(values: Float64Array, low: number, high: number): boolean {
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!(value >= low && value <= high)) return false;
  }
  return true;
}

/** 64-bit integers as the nearest doubles, without a BigInt for each; other arrays unchanged. */
export function widen(values: DecodedArray): DecodedArray {
  const signed = values instanceof BigInt64Array;
  if (!signed && !(values instanceof BigUint64Array)) return values;
  const halves = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  const doubles = new Float64Array(values.length);
  for (let i = 0; i < doubles.length; i++) {
    const high = halves[2 * i + 1]!;
    doubles[i] = (signed ? high | 0 : high) * 2 ** 32 + halves[2 * i]!;
  }
  return doubles;
}

/** Turns the whole number in a file into a decimal: one division, so it rounds once. */
export function decimalScale(element: SchemaElement): (value: unknown) => number | null {
  const { logical_type: logical } = element;
  const divisor = 10 ** (element.scale ?? (logical?.type === 'DECIMAL' ? logical.scale : 0));
  return (value) => {
    if (value === null || value === undefined) return null;
    return (value instanceof Uint8Array ? wholeOfBytes(value) : Number(value)) / divisor;
  };
}
