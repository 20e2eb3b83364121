import type { StudyView } from '../protocol/messages.ts';
import { studyId } from '../protocol/study-part.ts';
import type { SumView } from '../protocol/sum-message.ts';
import { utcText } from '../text/duration.ts';

/** Where the sum of a region goes, and what the parent has of it, line by line; empty in a study of no region. */
export function regionLines({ study, sum }: Pick<StudyView, 'study' | 'sum'>): string[] {
  const { parents = [] } = study;
  if (parents.length === 0) return [];
  const [{ study: digest, site, coordinator }, ...higher] = parents;
  const above = higher.map((one) => `${studyId(one.study)} at ${new URL(one.coordinator).host}`);
  return [
    `as ${site} of study ${studyId(digest)} at ${new URL(coordinator).host}${above.length === 0 ? '' : `, and on to ${above.join(', ')}`}`,
    ...(sum === undefined ? [] : [sentText(sum)]),
    ...(sum?.problem === undefined ? [] : [`not sent: ${sum.problem}`]),
  ];
}

function sentText({ state, sequence, at, sites, late }: SumView): string {
  const when = at === undefined ? '' : ` at ${utcText(at)}`;
  switch (state) {
    case 'unsent':
      return 'nothing is sent yet: the sum goes on when this study has closed';
    case 'sent':
      return `the sum over ${sites} ${sites === 1 ? 'site' : 'sites'} was received${when}, as number ${sequence}${late === true ? ', after the study above had closed' : ''}`;
    case 'withdrawn':
      return `the sum was erased there${when}; the next one is sent when this study can be resolved`;
    case 'leaving':
      return 'the region leaves: its sum there is being erased';
    case 'left':
      return `the region has left: nothing of it is there${when === '' ? '' : `, since${when.slice(3)}`}`;
  }
}
