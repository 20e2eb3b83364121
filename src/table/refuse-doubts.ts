import { DataError } from '../data-error.ts';
import type { Place } from '../failure.ts';
import { doubtTexts } from './csv-refusals.ts';
import type { ColumnDraft } from './draft.ts';
import { cellsIn } from './many-levels.ts';
import type { Doubt } from './written-number.ts';

/** Refuses a column with cells in doubt, with their number; `which` are the doubts to refuse, all unless given. */
export function refuseDoubts(
  { doubts, numbers, texts }: ColumnDraft,
  place: Place,
  which: readonly Doubt[] = [...doubts.keys()],
): void {
  const [doubt] = which.filter((one) => doubts.has(one));
  if (doubt === undefined) return;
  const present = numbers + cellsIn(texts ?? new Map()) + cellsIn(doubts);
  const { is, remedy, option } = doubtTexts[doubt];
  throw new DataError(`${doubts.get(doubt)} of ${present} cells ${is}`, place, remedy, option);
}
