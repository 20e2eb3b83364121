import type { Question } from '../analysis/question.ts';
import { namedTopics } from '../analysis/topics.ts';
import { featureMapOf } from '../features/feature-maps.ts';
import type { TableStudy } from '../study/study.ts';
import type { FitFlags } from './fit-flags.ts';
import { questionsOf } from './question-flags.ts';

/** Topics about classes, not about single columns. */
const classTopics: readonly Question['about'][] = ['discriminant'];

/** For a saved model: all that can be shown later. */
export function spareQuestions(
  flags: FitFlags,
  { features = [] }: Pick<TableStudy, 'features'> = {},
): Question[] {
  if (flags.saveModel === undefined) return [];
  const named = new Set(questionsOf(flags).map(({ about }) => about));
  const isOpaque = features.some((terms) => featureMapOf(terms).opaque === true);
  const rest = namedTopics.filter(
    (about) => !named.has(about) && (!isOpaque || classTopics.includes(about)),
  );
  return rest.map((about): Question => ({ about }));
}
