import type { StudyLink } from '../../tab/page-address.ts';
import type { Overview, ShownResult } from '../../worker/result-overview.ts';
import type { TotalState } from './use-total.ts';

/** Props of every section. */
export interface SectionProps {
  readonly link: StudyLink;
  readonly overview: Overview;
  readonly shown: ShownResult;
  readonly total: TotalState;
  /** Index of the response that is shown. */
  readonly response: number;
}

/** The worker finds a resolution by its study and number. */
export function placeOf({ resolution }: ShownResult): [study: string, number: number] {
  return [resolution.studyDigest, resolution.number];
}
