import { defined } from '../defined.ts';
import { parseFormula } from '../study/formula.ts';
import type { TableStudy } from '../study/study.ts';
import { createDesign, type Design } from './design.ts';
import { featureMapOf } from './feature-maps.ts';
import type { Coding } from './terms.ts';

/** The design of a study, with the responses as sites send them; every site derives the same one, to the last bit. */
export function studyDesign(
  study: Pick<TableStudy, 'formula' | 'codebook' | 'features' | 'image'>,
  responses: 'indicator' | 'indicators',
): Design {
  const coding = codingOf(study);
  const design = createDesign(parseFormula(study.formula), study.codebook, {
    responses,
    // A link other than the identity: the offset belongs to the linear predictor, not to the response.
    offsets: responses === 'indicator' ? 'apart' : 'subtracted',
    ...defined({ coding }),
  });
  return withFeatures(design, study);
}

/** The coding of categories that the study's feature map needs; undefined if any will do. */
export function codingOf({ features = [] }: Pick<TableStudy, 'features'>): Coding | undefined {
  const [terms] = features;
  return terms && featureMapOf(terms).coding?.(terms);
}

/**
 * The design with the form of the study's images and its feature map, where it has them. Categories must be coded as
 * `codingOf` says.
 */
export function withFeatures(
  plain: Design,
  { features = [], image }: Pick<TableStudy, 'features' | 'image'>,
): Design {
  const [terms] = features;
  const design = image === undefined ? plain : { ...plain, image };
  return terms === undefined ? design : featureMapOf(terms).apply(design, terms);
}
