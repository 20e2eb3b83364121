import { DataError } from '../data-error.ts';
import { isTableStudy, type Study, type TableStudy } from './study.ts';

/** The study, if it reads tables; refuses any other study. */
export function tableStudy(study: Study): TableStudy {
  if (isTableStudy(study)) return study;
  throw new DataError(
    'the study has no formula and no codebook',
    {},
    'give a study of a table, with a formula and a codebook',
  );
}
