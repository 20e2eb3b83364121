import { DataError } from '../data-error.ts';
import type { Failure, Place } from '../failure.ts';
import { doubtTexts } from './csv-refusals.ts';
import type { ColumnDraft } from './draft.ts';
import { cellsIn } from './many-levels.ts';
import type { Doubt } from './written-number.ts';

/** The first of these doubts that a column has cells in, with their number; undefined if it has none. */
export function doubtIn(
  { doubts, numbers, texts }: ColumnDraft,
  which: readonly Doubt[],
): Omit<Failure, 'place'> | undefined {
  const [doubt] = which.filter((one) => doubts.has(one));
  if (doubt === undefined) return undefined;
  const present = numbers + cellsIn(texts ?? new Map()) + cellsIn(doubts);
  const { is, ...more } = doubtTexts[doubt];
  return { problem: `${doubts.get(doubt)} of ${present} cells ${is}`, ...more };
}

/** Refuses a column with cells in doubt; `which` are the doubts to refuse, all unless given. */
export function refuseDoubts(column: ColumnDraft, place: Place, which?: readonly Doubt[]): void {
  const doubt = doubtIn(column, which ?? [...column.doubts.keys()]);
  if (doubt !== undefined) throw new DataError(doubt.problem, place, doubt.remedy, doubt.option);
}
