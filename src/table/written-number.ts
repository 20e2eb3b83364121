import type { DateOrder, DecimalMark, Notation } from './notation.ts';
import { DAYS, dateReadings, hasShortYear } from './written-date.ts';

/** Why a number or a date can be read in two ways, or not as its column is written. */
export type Doubt = 'either mark' | 'other mark' | 'either order' | 'other order' | 'short year';

/** A number with the unit that is written beside it; "" for a bare number, `DAYS` for a date. */
export interface WrittenNumber {
  readonly value: number;
  readonly unit: string;
}

/** What a cell shows about the notation of its column. */
export interface CellForm {
  readonly is: 'number' | 'date' | 'text';
  readonly decimal?: DecimalMark;
  readonly dates?: DateOrder;
}

const CURRENCY = '[$€£¥]|USD|EUR|GBP|JPY|CHF';
const BLANK = '[ \\u00a0\\u202f]';
const WRITTEN = new RegExp(
  `^([+\\-\\u2212]?)(?:(${CURRENCY})${BLANK}?)?([+\\-\\u2212]?)(\\d[\\d.,'\\u2019 \\u00a0\\u202f]*|[.,]\\d+)([eE][+-]?\\d+)?(?:(%|${CURRENCY}))?$`,
);
const SIMPLE = /^[+-]?\d+$/;
/** A number with a point and no groups, as most are: known without the other patterns. */
const POINTED = /^[+-]?(\d+)\.(\d*)(?:[eE][+-]?\d+)?$/;
/** A number needs a digit; dates start with one. */
const DIGIT = /\d/;

type Readings = { readonly [mark in DecimalMark]?: number };

/** A text that is written as a number in some notation. */
interface Parts {
  readonly unit: string;
  readonly readings: Readings;
}

const SHAPES = { '.': shapeWith('\\.', ','), ',': shapeWith(',', '\\.') };

/** Digits with a decimal mark, in groups of three if they are grouped. */
function shapeWith(mark: string, other: string): RegExp {
  return new RegExp(
    `^(?:(?:\\d+|[1-9]\\d{0,2}([${other}' ])\\d{3}(?:\\1\\d{3})*)(?:${mark}\\d*)?|${mark}\\d+)$`,
  );
}

function partsOf(text: string): Parts | undefined {
  const match = WRITTEN.exec(text);
  if (match === null) return undefined;
  const [, outer = '', before, inner = '', body = '', power = '', after] = match;
  if ((outer !== '' && inner !== '') || (before !== undefined && after !== undefined))
    return undefined;
  const sign = /[-\u2212]/.test(outer + inner) ? '-' : '';
  const digits = body
    .replace(/[\u00a0\u202f]/g, ' ')
    .replaceAll('\u2019', "'")
    .trim();
  const under = (mark: DecimalMark): Readings => {
    if (!SHAPES[mark].test(digits)) return {};
    const plain = digits.replace(mark === '.' ? /[,' ]/g : /[.' ]/g, '').replace(',', '.');
    return { [mark]: Number(`${sign}${plain}${power}`) };
  };
  const readings = { ...under('.'), ...under(',') };
  return Object.keys(readings).length === 0 ? undefined : { unit: before ?? after ?? '', readings };
}

/** What a trimmed text shows about its column's notation. */
export function formOf(text: string): CellForm {
  if (SIMPLE.test(text)) return { is: 'number' };
  const pointed = POINTED.exec(text);
  if (pointed !== null) {
    const [, whole, decimals] = pointed;
    const mayBeGroup = decimals!.length === 3 && whole!.length <= 3 && !whole!.startsWith('0');
    return mayBeGroup ? { is: 'number' } : { is: 'number', decimal: '.' };
  }
  if (!DIGIT.test(text)) return { is: 'text' };
  const parts = partsOf(text);
  if (parts !== undefined) {
    const { '.': point, ',': comma } = parts.readings;
    if (comma === undefined) return { is: 'number', decimal: '.' };
    return point === undefined ? { is: 'number', decimal: ',' } : { is: 'number' };
  }
  const dates = dateReadings(text);
  if (dates === undefined) return { is: 'text' };
  const { 'day first': dayFirst, 'month first': monthFirst } = dates;
  if (dayFirst === undefined && monthFirst === undefined) return { is: 'text' };
  if (monthFirst === undefined) return { is: 'date', dates: 'day first' };
  return dayFirst === undefined ? { is: 'date', dates: 'month first' } : { is: 'date' };
}

/** The number that a trimmed text writes in a notation, or why it is in doubt; undefined for any other text. */
export function writtenNumber(
  text: string,
  { decimal, dates }: Notation,
): WrittenNumber | Doubt | undefined {
  if (!DIGIT.test(text)) return undefined;
  const parts = partsOf(text);
  if (parts !== undefined) {
    const { unit, readings } = parts;
    const value = decimal === undefined ? undecided(readings) : (readings[decimal] ?? 'other mark');
    return typeof value === 'number' ? { value, unit } : value;
  }
  const read = dateReadings(text);
  if (read === undefined) return hasShortYear(text) ? 'short year' : undefined;
  const { 'day first': dayFirst, 'month first': monthFirst } = read;
  const only = dayFirst ?? monthFirst;
  if (only === undefined) return undefined;
  const unsure = dayFirst !== undefined && monthFirst !== undefined && dayFirst !== monthFirst;
  if (dates === undefined) return unsure ? 'either order' : { value: only, unit: DAYS };
  const value = read[dates];
  return value === undefined ? 'other order' : { value, unit: DAYS };
}

/** Without a known mark a point is a decimal mark, as in a plain number; a comma is one or groups digits. */
function undecided({ '.': point, ',': comma }: Readings): number | Doubt {
  if (comma === undefined || point === comma) return point!;
  if (point === undefined) return 'other mark';
  // 1.234 is smaller with the point as its mark, 1,234 with the comma.
  return Math.abs(point) < Math.abs(comma) ? point : 'either mark';
}

const SYMBOLS: Readonly<Record<string, string>> = { $: 'USD', '€': 'EUR', '£': 'GBP', '¥': 'JPY' };

/** Whether a number that is written with a unit can stand in a column of the codebook's unit. */
export function sameUnit(written: string, unit: string | undefined): boolean {
  const code = (text: string) => SYMBOLS[text] ?? text;
  return written === '' || (unit !== undefined && code(written) === code(unit));
}
