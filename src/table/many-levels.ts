import type { ColumnDraft } from './draft.ts';
import { formOf } from './written-number.ts';

/** So few levels are never too many. */
const FEW_LEVELS = 5;
/** More levels than this, or than a tenth of the rows, are taken as levels only if a person says so. */
export const MOST_LEVELS = 50;
/** Most numbers among the labels of a category such as K, 1, 2, 3. */
const MOST_LABELS = 15;

/** The number of cells in a count by text. */
export function cellsIn(counts: ReadonlyMap<unknown, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}

/** Whether a column of texts has nearly as many texts as rows, or too many to be a category by accident. */
export function manyLevels({ texts, numbers, doubts }: ColumnDraft): boolean {
  if (texts === undefined) return true;
  const rows = cellsIn(texts) + numbers + cellsIn(doubts);
  return texts.size > MOST_LEVELS || (texts.size > FEW_LEVELS && 10 * texts.size > rows);
}

/** Whether a scan found numbers and texts, and its texts recur, so that the numbers may be labels too. */
export function isMixture({ texts, numbers, doubts }: ColumnDraft): boolean {
  if (texts === undefined || texts.size === 0 || doubts.size > 0 || numbers === 0) return false;
  return recurs(texts) || cellsIn(texts) >= numbers;
}

/** The cells of a column of texts that are numbers, and the others; whether the numbers are labels, as in K, 1, 2, 3. */
export function mixtureOf({ texts = new Map() }: ColumnDraft): {
  readonly numbers: number;
  readonly texts: number;
  readonly areLabels: boolean;
} {
  const isNumber = (text: string) => formOf(text).is !== 'text';
  const numbers = new Map([...texts].filter(([text]) => isNumber(text)));
  const others = new Map([...texts].filter(([text]) => !isNumber(text)));
  const few = numbers.size <= MOST_LABELS && [...numbers.keys()].every((text) => LABEL.test(text));
  const isLimit = [...others.keys()].some((text) => LIMIT.test(text));
  const often = recurs(numbers) && recurs(others);
  const counts = { numbers: cellsIn(numbers), texts: cellsIn(others) };
  return { ...counts, areLabels: few && !isLimit && (often || counts.texts >= counts.numbers) };
}

const LABEL = /^[+-]?\d{1,3}$/;
/** Texts that stand for a number which is not known exactly. */
const LIMIT = /^(?:[<>≤≥]|[+-]?inf(?:inity)?$)/i;

/** Whether texts come three times each on average. */
function recurs(texts: ReadonlyMap<string, number>): boolean {
  return cellsIn(texts) >= 3 * texts.size;
}
