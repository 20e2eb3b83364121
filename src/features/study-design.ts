import { defined } from '../defined.ts';
import { parseFormula } from '../study/formula.ts';
import type { TableStudy } from '../study/study.ts';
import { createDesign, type Design } from './design.ts';
import { featureMapOf } from './feature-maps.ts';

/** The design of a study, with the responses as sites send them; every site derives the same one, to the last bit. */
export function studyDesign(
  study: Pick<TableStudy, 'formula' | 'codebook' | 'features' | 'image'>,
  responses: 'indicator' | 'indicators',
): Design {
  const design = createDesign(parseFormula(study.formula), study.codebook, { responses });
  return withFeatures({ ...design, ...defined({ image: study.image }) }, study);
}

/** The design with the study's feature map, if it has one. */
export function withFeatures(
  design: Design,
  { features = [] }: Pick<TableStudy, 'features'>,
): Design {
  const [terms] = features;
  return terms === undefined ? design : featureMapOf(terms).apply(design, terms);
}
