import { trimBlanks } from './cell-text.ts';
import { LARGEST_MAGNITUDE } from './csv-fields.ts';
import { isMissingWord } from './missing-words.ts';
import type { Notation } from './notation.ts';
import { type Doubt, writtenNumber } from './written-number.ts';

/** The numbers of a column so far: how many there are, and their extremes. */
export interface Extent {
  readonly numbers: number;
  readonly min: number;
  readonly max: number;
}

/** Counts the cells that are numbers in another form than a plain one, or may be. */
export interface OddNumbers {
  /** Takes `count` cells of one trimmed text. */
  take(text: string, count: number): 'number' | 'doubt' | 'text';
  /** Together with the plain numbers of the same column of the same file. */
  result(file: string, plain: Extent): Extent & Pick<WrittenForms, 'written' | 'doubts'>;
}

/** In which forms a column writes its numbers. */
export interface WrittenForms {
  /** Cells by the unit that is written beside the number ("" for none), and by file. */
  readonly written: ReadonlyMap<string, ReadonlyMap<string, number>>;
  /** Cells that can be read in two ways, or not as their column is written. */
  readonly doubts: ReadonlyMap<Doubt, number>;
}

export function oddNumbers(notation: Notation): OddNumbers {
  const units = new Map<string, number>();
  const doubts = new Map<Doubt, number>();
  let numbers = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  return {
    take(text, count) {
      const found = writtenNumber(text, notation);
      if (found === undefined) return 'text';
      if (typeof found === 'string') {
        doubts.set(found, (doubts.get(found) ?? 0) + count);
        return 'doubt';
      }
      if (!(Math.abs(found.value) <= LARGEST_MAGNITUDE)) return 'text';
      units.set(found.unit, (units.get(found.unit) ?? 0) + count);
      numbers += count;
      min = Math.min(min, found.value);
      max = Math.max(max, found.value);
      return 'number';
    },
    result(file, plain) {
      const counts = new Map(units);
      if (plain.numbers > 0) counts.set('', (counts.get('') ?? 0) + plain.numbers);
      return {
        numbers: plain.numbers + numbers,
        min: Math.min(plain.min, min),
        max: Math.max(plain.max, max),
        written: new Map([...counts].map(([unit, count]) => [unit, new Map([[file, count]])])),
        doubts,
      };
    },
  };
}

/** Texts of a column with their counts: markers of missing cells, words for it among numbers, and others. */
export interface SortedTexts {
  readonly missing: Map<string, number>;
  readonly words: Map<string, number>;
  readonly texts: Map<string, number>;
}

/**
 * Blanks around a text do not count; a missing marker among numbers is listed as it is written. In a column read as text, a
 * word for "missing" is a text like any other.
 */
export function sortTexts(
  counts: ReadonlyMap<string, number>,
  isMissing: (text: string) => boolean,
  asText: boolean,
): SortedTexts {
  const sorted: SortedTexts = { missing: new Map(), words: new Map(), texts: new Map() };
  for (const [raw, count] of counts) {
    const trimmed = trimBlanks(raw);
    const kind = kindOf(trimmed, isMissing, asText);
    const text = kind === 'missing' && !asText ? raw : trimmed;
    sorted[kind].set(text, (sorted[kind].get(text) ?? 0) + count);
  }
  return sorted;
}

function kindOf(
  text: string,
  isMissing: (text: string) => boolean,
  asText: boolean,
): keyof SortedTexts {
  if (isMissing(text)) return 'missing';
  return !asText && isMissingWord(text) ? 'words' : 'texts';
}

/** A column with more texts than are listed. */
export const tooManyTexts: Omit<SortedTexts, 'texts'> & { readonly texts: undefined } = {
  missing: new Map(),
  words: new Map(),
  texts: undefined,
};
