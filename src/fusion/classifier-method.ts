import { DataError } from '../data-error.ts';
import type { DiscriminantFusion, NaiveBayesFusion, TableStudy } from '../study/study.ts';
import { classifierFromSums, whyNoClassifier } from './classifier-from-sums.ts';
import { discriminantSchema, naiveBayesSchema } from './classifier-schema.ts';
import { classifierText } from './classifier-text.ts';
import { type FusionEntry, notUnderNoise, tableFusion } from './fusion-entry.ts';
import { refuseLayers } from './layer-rounds.ts';
import type { Method } from './method.ts';
import { sumsOfProducts } from './sums-of-products.ts';
import { sumsQuestions } from './sums-questions.ts';
import { meansText, sentSumsText, whoSeesSums } from './sums-text.ts';

/** Sites sum the products that they sum for a ridge. */
function classifierMethod(
  study: TableStudy,
  fusion: DiscriminantFusion | NaiveBayesFusion,
): Method {
  const sums = sumsOfProducts(study);
  const { design, layout } = sums.regression;
  refuseLayers(study);
  const refused = whyNoClassifier(design, layout);
  if (refused !== undefined) throw new DataError(refused.problem, {}, refused.remedy);
  const text = classifierText(fusion);
  return {
    ...sums,
    ...classifierFromSums(fusion, design),
    questions: sumsQuestions,
    text: {
      method: text,
      learnt: text,
      whoSees: whoSeesSums(' and its number of rows', study),
      leaves: sentSumsText,
      says: meansText,
    },
    sections: [],
  };
}

const underNoise = notUnderNoise(
  'scores of classes',
  'leave out the privacy, or make a study with the ridge fusion',
);

/** Linear discriminant analysis. */
export const discriminantEntry: FusionEntry<DiscriminantFusion> = tableFusion({
  method: classifierMethod,
  schema: discriminantSchema,
  questions: sumsQuestions,
  underNoise,
});

/** Gaussian naive Bayes. */
export const naiveBayesEntry: FusionEntry<NaiveBayesFusion> = tableFusion({
  method: classifierMethod,
  schema: naiveBayesSchema,
  questions: sumsQuestions,
  underNoise,
});
