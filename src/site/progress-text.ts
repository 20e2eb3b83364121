import type { StudyProgress } from '../protocol/progress.ts';
import { grouped } from '../text/number-text.ts';

/** How many have contributed, for people. */
export function progressText({ who, contributed, expected }: StudyProgress): string {
  const many = expected === 1 ? `${who.slice(0, -1)} has` : `${who} have`;
  return `${grouped(contributed)} of ${grouped(expected)} ${many} contributed`;
}
