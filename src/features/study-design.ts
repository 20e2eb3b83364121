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
  return withFeatures(design, study);
}

/** The design with the form of the study's images and its feature map, where it has them. */
export function withFeatures(
  plain: Design,
  { features = [], image }: Pick<TableStudy, 'features' | 'image'>,
): Design {
  const [terms] = features;
  const design = image === undefined ? plain : { ...plain, image };
  return terms === undefined ? design : featureMapOf(terms).apply(design, terms);
}
