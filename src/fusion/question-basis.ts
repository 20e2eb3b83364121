import type { Fit } from '../model/fit.ts';

/** What a fusion gives questions to go by: the sums of the columns, or only the Fisher information at one point. */
export type QuestionBasis = 'sums' | 'information';

/** What questions about this fit can go by. */
export function questionBasis({ glm }: Fit): QuestionBasis {
  return glm === undefined ? 'sums' : 'information';
}
