import { defined } from '../defined.ts';
import type { Place } from '../failure.ts';
import { parseDecimal } from '../numeric/decimal.ts';
import type { NumberColumn } from '../study/codebook.ts';
import { isText, toText, trimBlanks } from './cell-text.ts';
import type { Misfits } from './columns.ts';
import { LARGEST_MAGNITUDE } from './csv-fields.ts';
import { outOfRange } from './csv-refusals.ts';
import { type ColumnDraft, MOST_TEXTS, type Start } from './draft.ts';
import { draftMissing } from './draft-scan.ts';
import { isMissingWord } from './missing-words.ts';
import { oddNumbers, tooManyTexts } from './odd-numbers.ts';

/** Options of a draft from cells that do not come from a text file; named as for a text file. */
export interface CellDraftOptions {
  /** Missing markers besides `draftMissing`; null is always missing. */
  readonly missing?: readonly string[];
  /** The decimal mark of numbers that are stored as texts. */
  readonly decimal?: '.' | ',';
  /** Columns whose distinct texts are all wanted, numbers included. */
  readonly texts?: ReadonlySet<string>;
  /** `allow`: no cell refuses the file; `refuse` unless given. */
  readonly misfits?: Misfits;
}

/** A column of numbers as a draft reads it. */
export function draftedNumbers({
  missing = [],
  decimal,
}: Pick<CellDraftOptions, 'missing' | 'decimal'>): NumberColumn {
  return { type: 'number', missing: [...draftMissing, ...missing], ...defined({ decimal }) };
}

/** Survey of the cells of one column. */
export interface CellSurvey {
  /** Whether numbers are wanted as texts too. */
  readonly everyText: boolean;
  /** Takes `count` cells with one value, the first of them in `row`; null and undefined are missing. */
  meet(value: unknown, row: number, count: number): void;
  result(start: Start): ColumnDraft;
}

/** Surveys the cells of a column in memory: numbers, texts, bytes of a text, or missing. */
export function surveyCells(place: Place, options: CellDraftOptions): CellSurvey {
  const everyText = options.texts?.has(place.column!) ?? false;
  const decimal = options.decimal ?? '.';
  const markers = new Set([...draftMissing, ...(options.missing ?? [])].map(trimBlanks));
  const odd = oddNumbers(defined({ decimal: options.decimal }));
  const numberMarkers = new Map(
    [...markers].flatMap((text) => {
      const value = parseDecimal(trimBlanks(text), decimal);
      return value === undefined ? [] : [[value, text] as const];
    }),
  );
  const missing = new Map<string, number>();
  const words = new Map<string, number>();
  const texts = new Map<string, number>();
  let numbers = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let leadingZeros = 0;
  let otherDecimals = 0;
  let firstText: number | undefined;

  const add = (counts: Map<string, number>, text: string, count: number) =>
    counts.set(text, (counts.get(text) ?? 0) + count);

  const meetNumber = (value: number, row: number, count: number) => {
    const marker = Number.isNaN(value) ? 'NaN' : numberMarkers.get(value);
    if (marker !== undefined) {
      add(missing, marker, count);
      return;
    }
    if (!(Math.abs(value) <= LARGEST_MAGNITUDE) && options.misfits !== 'allow') {
      throw outOfRange(value, undefined, { ...place, row });
    }
    numbers += count;
    if (value < min) min = value;
    if (value > max) max = value;
  };

  const meetText = (text: string, row: number, count: number) => {
    const trimmed = trimBlanks(text);
    if (markers.has(trimmed)) {
      add(missing, everyText ? trimmed : text, count);
      return;
    }
    const value = everyText ? undefined : parseDecimal(trimmed, decimal);
    if (value !== undefined) {
      if (/^[+-]?0\d/.test(trimmed)) leadingZeros += count;
      meetNumber(value, row, count);
      return;
    }
    if (!everyText && isMissingWord(trimmed)) {
      add(words, trimmed, count);
      return;
    }
    if (!everyText && parseDecimal(trimmed, decimal === '.' ? ',' : '.') !== undefined) {
      otherDecimals += count;
    }
    const found = everyText ? 'text' : odd.take(trimmed, count);
    if (found === 'number') return;
    firstText = Math.min(firstText ?? row, row);
    if (found === 'text' && texts.size <= MOST_TEXTS) add(texts, trimmed, count);
  };

  return {
    everyText,
    meet(value, row, count) {
      if (value === null || value === undefined) add(missing, '', count);
      else if (everyText || isText(value)) meetText(toText(value), row, count);
      else meetNumber(Number(value), row, count);
    },
    result(start) {
      const fits = texts.size <= MOST_TEXTS;
      return {
        everyText,
        ...odd.result(start.file, { numbers, min, max }),
        leadingZeros,
        otherDecimals,
        ...(fits ? { missing, words, texts } : tooManyTexts),
        firstTexts: firstText === undefined ? [] : [{ ...start, row: firstText }],
      };
    },
  };
}
