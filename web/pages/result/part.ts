import type { StudyLink } from '../../app/here.ts';
import type { Overview, ShownResult } from '../../desk/result-overview.ts';
import type { TotalState } from './use-total.ts';

/** What every part of the result is given. */
export interface PartProps {
  readonly link: StudyLink;
  readonly overview: Overview;
  readonly shown: ShownResult;
  readonly total: TotalState;
  /** Which of the responses is looked at. */
  readonly response: number;
}

/** The desk knows a resolution by its study and number. */
export function placeOf({ resolution }: ShownResult): [study: string, number: number] {
  return [resolution.studyDigest, resolution.number];
}
