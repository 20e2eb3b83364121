import { DataError } from '../data-error.ts';
import { imageTable, isImageStudy } from './image-study.ts';
import { isTableStudy, type Study, type TableStudy } from './study.ts';

/** The study as a study of a table: images are a table of pixels. Refuses a study that is no table. */
export function tableStudy(study: Study): TableStudy {
  if (isTableStudy(study)) return study;
  if (isImageStudy(study)) return imageTable(study);
  throw new DataError(
    'the study has no formula and no codebook',
    {},
    'give a study of a table, with a formula and a codebook',
  );
}
