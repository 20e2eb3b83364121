import type { RidgeFusion } from '../study/study.ts';
import { refuseUnchosen } from './choose-alternative.ts';
import { type FusionEntry, tableFusion } from './fusion-entry.ts';
import { layerRounds } from './layer-rounds.ts';
import type { LinearTerms, Method } from './method.ts';
import { privateMethod } from './private-method.ts';
import { needsSites, ridgeFromSums } from './ridge-from-sums.ts';
import { ridgeSchema } from './ridge-schema.ts';
import { ridgeText } from './ridge-text.ts';
import { sumsOfProducts } from './sums-of-products.ts';
import { sumsQuestions } from './sums-questions.ts';
import { meansText, sentSumsText, whoSeesSums } from './sums-text.ts';

/** Least squares, ridge and lasso from exact sums of products. */
export const ridgeEntry: FusionEntry<RidgeFusion> = tableFusion({
  method(study, fusion): Method {
    const sums = sumsOfProducts(study);
    const { design } = sums.regression;
    refuseUnchosen(design, fusion);
    const text = ridgeText(fusion);
    const seen =
      fusion.siteEffects === undefined
        ? ' and its number of rows'
        : ', its number of rows and its intercept';
    return {
      ...sums,
      ...ridgeFromSums(fusion, design),
      questions: sumsQuestions,
      text: {
        method: text,
        learnt: text,
        whoSees: whoSeesSums(seen, study),
        leaves: sentSumsText,
        says: meansText,
      },
      linear: linearTerms(fusion),
      ...layerRounds(study, design),
      sections: ['trace', 'selection', 'agreement', 'columns'],
    };
  },
  schema: ridgeSchema,
  questions: sumsQuestions,
  underNoise: privateMethod,
});

function linearTerms(fusion: RidgeFusion): LinearTerms {
  const { standardize, siteEffects } = fusion;
  return {
    scale: standardize === true ? 'standardized' : 'raw',
    siteEffects: siteEffects !== undefined,
    fromTotal({ lasso, ridge }) {
      if (!needsSites(fusion)) return undefined;
      if (lasso !== undefined) return { kind: 'ridge', ridge: 0, lasso };
      const penalty = { kind: 'ridge', ridge: ridge?.value ?? 0 } as const;
      return standardize === undefined ? penalty : { ...penalty, standardize };
    },
  };
}
