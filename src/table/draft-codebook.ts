import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { type Codebook, type Column, defaultMissing } from '../study/codebook.ts';
import { deparse } from '../study/formula-expression.ts';
import { byCodeUnit } from '../text/by-code-unit.ts';
import { type ColumnDraft, type Draft, MOST_TEXTS } from './draft.ts';
import { placeOfFirstText } from './draft-place.ts';
import { draftedUnit } from './draft-unit.ts';
import { levelsOf } from './levels.ts';
import { cellsIn, isMixture, manyLevels, mixtureOf } from './many-levels.ts';
import type { DecimalMark } from './notation.ts';
import { refuseDoubts } from './refuse-doubts.ts';

export interface CodebookOptions {
  /** Columns that must become categories. */
  readonly factors: ReadonlySet<string>;
  /** Columns that are left out where nearly every row has a text of its own; others are refused. */
  readonly optional?: ReadonlySet<string>;
  /** Columns whose levels a person has listed, however many they are. */
  readonly listed?: ReadonlySet<string>;
  readonly decimal?: DecimalMark;
}

/** A codebook, and the optional columns that it leaves out, with the number of their texts. */
export interface DraftedCodebook {
  readonly codebook: Codebook;
  readonly leftOut: readonly { readonly column: string; readonly texts: number }[];
}

/** The columns that need a second scan with `texts`: factors scanned without it, and texts mixed with numbers. */
export function needsTexts(draft: Draft, factors: ReadonlySet<string>): string[] {
  return [...draft.columns].flatMap(([name, column]) => {
    if (column.everyText || column.texts === undefined) return [];
    return factors.has(name) || isMixture(column) ? [name] : [];
  });
}

/**
 * The codebook that a draft suggests. Throws `DataError` if a column is all missing, has a few texts among numbers, numbers
 * in doubt or too many levels, and `RangeError` while `needsTexts` names a column.
 */
export function suggestCodebook(draft: Draft, options: CodebookOptions): DraftedCodebook {
  const lacking = needsTexts(draft, options.factors);
  if (lacking.length > 0) throw new RangeError(`scan again with texts of ${lacking.join(', ')}`);
  const drafted = [...draft.columns].map(
    ([name, column]) => [name, draftColumn(draft, name, column, options)] as const,
  );
  return {
    codebook: Object.fromEntries(
      drafted.filter((entry): entry is readonly [string, Column] => entry[1] !== undefined),
    ),
    leftOut: drafted.flatMap(([column, found]) =>
      found === undefined
        ? [{ column, texts: draft.columns.get(column)!.texts?.size ?? MOST_TEXTS }]
        : [],
    ),
  };
}

/** The suggested codebook alone. */
export function draftCodebook(draft: Draft, options: CodebookOptions): Codebook {
  return suggestCodebook(draft, options).codebook;
}

/** Undefined for an optional column that is left out. */
function draftColumn(
  draft: Draft,
  name: string,
  column: ColumnDraft,
  { factors, optional, listed, decimal }: CodebookOptions,
): Column | undefined {
  const place = placeOfFirstText(draft, name, column);
  const isFactor = factors.has(name);
  const isAgreed = isFactor || listed?.has(name) === true;
  if (column.texts === undefined) {
    if (optional?.has(name) === true) return undefined;
    throw new DataError(
      `more than ${MOST_TEXTS} distinct texts`,
      place,
      'Leave the column out of the formula, group its texts, or use it as a number instead of a factor.',
    );
  }
  const texts = cellsIn(column.texts);
  const present = column.numbers + texts + cellsIn(column.doubts);
  const asLevels = column.numbers === 0 ? cellsIn(column.words) : 0;
  if (present + asLevels === 0) {
    const problem = 'every cell is missing';
    throw new DataError(problem, place, 'Leave the column out of the formula, or fill it.');
  }
  refuseDoubts(column, place);
  const missing = missingOf(column);
  if (texts === 0 && column.numbers > 0 && !isFactor) {
    const range: [number, number] = [column.min + 0, column.max + 0]; // −0 becomes 0
    const unit = draftedUnit(column, place);
    const mark = decimal === ',' ? decimal : undefined;
    return { type: 'number', ...defined({ unit }), range, missing, ...defined({ decimal: mark }) };
  }
  const many = manyLevels(column);
  if (many && !isAgreed && optional?.has(name) === true) return undefined;
  if (column.numbers > 0) throw textAmongNumbers(texts, present, place);
  if (!isAgreed) refuseMixture(column, place);
  if (many && !isAgreed) {
    throw new DataError(
      `${column.texts.size} different texts in ${present} rows`,
      place,
      `If each of them is a level of its own, write factor(${deparse({ kind: 'name', name, position: 0 })}) in the formula. Otherwise leave the column out, or group its texts.`,
    );
  }
  const found = [...column.texts.keys(), ...(column.everyText ? [] : column.words.keys())];
  return { type: 'category', levels: levelsOf(found), missing };
}

function missingOf({ missing, words, numbers, everyText }: ColumnDraft): string[] {
  const found = [...missing.keys(), ...(numbers > 0 && !everyText ? words.keys() : [])];
  const extra = found.filter((marker) => !defaultMissing.includes(marker));
  return [...defaultMissing, ...extra.sort(byCodeUnit)];
}

/** Refuses texts beside numbers, unless the numbers are a few short labels too, as in K, 1, 2, 3. */
function refuseMixture(column: ColumnDraft, place: object): void {
  const mixture = mixtureOf(column);
  if (mixture.numbers === 0 || mixture.areLabels) return;
  throw textAmongNumbers(mixture.texts, mixture.texts + mixture.numbers, place);
}

function textAmongNumbers(texts: number, present: number, place: object): DataError {
  return new DataError(
    `text in a column of numbers: ${texts} of ${present} cells`,
    place,
    'Correct the text, write factor() around the column if it is a category, or list the text as a missing marker.',
    { name: 'missing-marker' },
  );
}
