import { isImageStudy, shapeText } from './image-study.ts';
import { isTableStudy, type Study } from './study.ts';

/** A study in one line: its formula, its images, or else its name or the name of its fusion. */
export function studyTitle(study: Study): string {
  if (isTableStudy(study)) return study.formula;
  if (isImageStudy(study)) {
    return `${study.data.classes.length} classes of ${shapeText(study.data)}`;
  }
  const { name, fusion } = study as Pick<Study, 'name' | 'fusion'>;
  return name ?? fusion.kind;
}

/** Whether the title of a study says what it asks, beside its name. */
export function hasTitle(study: Study): boolean {
  return isTableStudy(study) || isImageStudy(study);
}
