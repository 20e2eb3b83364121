import { DataError } from '../data-error.ts';
import { parseFormula } from '../study/formula.ts';
import { isGlm, type Study } from '../study/study.ts';
import { createDesign, type Design } from './design.ts';
import { projectDesign } from './project-design.ts';

/** The design of a study, its responses as the sites have them; every site derives the same one, to the last bit. */
export function studyDesign(
  study: Pick<Study, 'formula' | 'codebook' | 'fusion' | 'features'>,
): Design {
  const responses = isGlm(study.fusion) ? 'indicator' : 'indicators';
  const design = createDesign(parseFormula(study.formula), study.codebook, { responses });
  return withFeatures(design, study);
}

/** The design with the study's feature map, if it has one. */
export function withFeatures(design: Design, { features = [] }: Pick<Study, 'features'>): Design {
  const [projection] = features;
  if (projection === undefined) return design;
  const projected = projectDesign(design, projection);
  const among = projected.projected?.columns.length ?? 0;
  if (projection.dimension < among) return projected;
  throw new DataError(
    `a projection of ${among} columns to ${projection.dimension} saves nothing`,
    {},
    among > 1
      ? `choose a dimension below ${among}, or leave the projection out`
      : 'leave the projection out',
  );
}
