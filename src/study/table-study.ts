import { DataError } from '../data-error.ts';
import { type ImageData, type ImageStudy, imageTable } from './image-study.ts';
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

/** Whether a study reads images. */
export function isImageStudy(study: Study): study is ImageStudy {
  return 'data' in study && study.data.kind === 'images';
}

/** What the images of a study look like; undefined where it reads a table. */
export function imagesOf(study: Study): ImageData | undefined {
  return isImageStudy(study) ? study.data : undefined;
}
