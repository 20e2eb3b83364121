import { aggregationOf } from '../aggregation/aggregations.ts';
import type { StudyView } from '../protocol/messages.ts';

/** What a site should know before it agrees to open what it has sent. */
export function beforeOpeningText({
  study,
  problem,
}: Pick<StudyView, 'study' | 'problem'>): string[] {
  const { minimumSites = 1 } = aggregationOf(study);
  return [
    `The coordinator says that it has refused the total${problem === undefined ? '.' : `: ${problem}.`} This cannot be checked here.`,
    'If you agree, the helper tells the coordinator the mask of your contributions. The coordinator then sees your statistic, as in a plain study: sums over your rows, and not the rows.',
    'It checks whether any rows can give these sums. If not, your site is named in the study, and what it sent is erased.',
    `Nothing is opened while the sites that have not agreed are fewer than ${minimumSites}, unless all have agreed: the sum over them would be known.`,
    'You need not agree. Everyone in the study sees who has agreed. An agreement cannot be taken back.',
  ];
}
