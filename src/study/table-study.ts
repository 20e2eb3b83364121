import { DataError } from '../data-error.ts';
import { isTableStudy, type Study, type TableStudy } from './study.ts';

/** The study as one of tables; refuses one that reads something else. */
export function tableStudy(study: Study): TableStudy {
  if (isTableStudy(study)) return study;
  throw new DataError(
    'the study has no formula and no codebook',
    {},
    'this is for regressions of a table: give such a study',
  );
}
