import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { parseDecimal } from '../numeric/decimal.ts';
import type { Column } from '../study/codebook.ts';
import { trimBlanks } from './cell-text.ts';
import type { ColumnToRead } from './columns.ts';
import { readingOf } from './csv-cells.ts';
import type { Notation } from './notation.ts';
import type { SaidColumn } from './said-column.ts';
import { sameUnit, writtenNumber } from './written-number.ts';

/** Cells of one kind that a column of the study does not allow. */
export interface MisfitCells {
  readonly cells: number;
  /** The first rows that have one, from 1. */
  readonly rows: readonly number[];
}

/** A text that a column of the study does not allow. */
export interface MisfitText extends MisfitCells {
  readonly text: string;
}

/** Numbers outside the range of a column. */
export interface OutsideNumbers extends MisfitCells {
  readonly least: number;
  readonly largest: number;
}

/** The cells of a column that do not fit the study: rows of one site, never to be sent or logged. */
export interface ColumnMisfits {
  readonly name: string;
  /** The most frequent first. */
  readonly texts: readonly MisfitText[];
  /** Cells with further texts, which are not listed one by one. */
  readonly otherTexts?: MisfitCells;
  readonly outside?: OutsideNumbers;
}

/** Most texts of a column that are counted one by one. */
const MOST_TEXTS = 1000;
const FIRST_ROWS = 5;

const OUTSIDE = 0;
const FIRST_TEXT = 1;
const OTHER_TEXTS = FIRST_TEXT + MOST_TEXTS;

/** Finds the misfits of one column: read the column as `column`, and give the blocks to `add`. */
export interface MisfitFinder {
  readonly column: SaidColumn;
  add(values: Float64Array, rows: number, firstRow: number): void;
  finish(): ColumnMisfits;
}

/** A column to look through. */
export interface LookedAt extends ColumnToRead {
  readonly column: Column;
  /** Without a codebook, a number may have any unit beside it, or be a date. */
  readonly anyUnit?: true;
}

/** A finder for a column that the codebook describes. */
export function misfitFinder(wanted: LookedAt): MisfitFinder {
  let judge: ((text: string) => Verdict) | undefined;
  const codes = new Map<string, number>();
  const found = new Map<number, { cells: number; rows: number[] }>();
  let least = Number.POSITIVE_INFINITY;
  let largest = Number.NEGATIVE_INFINITY;

  const says = (text: string, notation: Notation): number => {
    judge ??= judgeOf(wanted, notation);
    const verdict = judge(text);
    if (verdict === 'fits') return Number.NaN;
    if (verdict !== 'text') {
      least = Math.min(least, verdict);
      largest = Math.max(largest, verdict);
      return OUTSIDE;
    }
    const known = codes.get(text);
    if (known !== undefined) return known;
    if (codes.size === MOST_TEXTS) return OTHER_TEXTS;
    codes.set(text, FIRST_TEXT + codes.size);
    return codes.get(text)!;
  };

  return {
    column: { type: 'said', numbers: 'none', says },
    add(values, rows, firstRow) {
      for (let r = 0; r < rows; r++) {
        const code = values[r];
        if (Number.isNaN(code)) continue;
        const one = found.get(code) ?? { cells: 0, rows: [] };
        if (one.cells === 0) found.set(code, one);
        one.cells++;
        if (one.rows.length < FIRST_ROWS) one.rows.push(firstRow + r);
      }
    },
    finish() {
      const outside = found.get(OUTSIDE);
      const otherTexts = found.get(OTHER_TEXTS);
      const texts = [...codes].flatMap(([text, code]) => {
        const cells = found.get(code);
        return cells === undefined ? [] : [{ text, ...cells }];
      });
      return {
        name: wanted.name,
        texts: texts.sort((a, b) => b.cells - a.cells),
        ...(otherTexts === undefined ? {} : { otherTexts }),
        ...(outside === undefined ? {} : { outside: { ...outside, least, largest } }),
      };
    },
  };
}

/** Whether a cell fits, is a text that does not, or is a number outside the range. */
type Verdict = 'fits' | 'text' | number;

function judgeOf(wanted: LookedAt, found: Notation): (text: string) => Verdict {
  const { column } = wanted;
  const declared = column.type === 'number' ? column.decimal : undefined;
  const notation = { ...defined({ decimal: declared }), ...found };
  const { known, settle, field } = readingOf(wanted, notation);
  const texts = new Set(known.map(([text]) => text));
  const fitsReading = (text: string): boolean => {
    try {
      settle(text, 0, {});
      return true;
    } catch (failure) {
      if (failure instanceof DataError) return false;
      throw failure;
    }
  };
  if (column.type !== 'number') {
    return (text) => (texts.has(text) || fitsReading(text) ? 'fits' : 'text');
  }
  const [low, high] = field.range!;
  const numberIn = (text: string): number | undefined => {
    const written = writtenNumber(text, notation);
    if (typeof written !== 'object') return undefined;
    return wanted.anyUnit || sameUnit(written.unit, column.unit) ? written.value : undefined;
  };
  return (text) => {
    const trimmed = trimBlanks(text);
    const plain = parseDecimal(trimmed, field.decimal);
    if (plain === undefined && fitsReading(text)) return 'fits';
    const value = plain ?? numberIn(trimmed);
    if (value === undefined) return 'text';
    const fits = field.markers?.includes(value) === true || (low <= value && value <= high);
    return fits ? 'fits' : value;
  };
}
