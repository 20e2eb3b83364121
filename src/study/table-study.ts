import { DataError } from '../data-error.ts';
import { isTableStudy, type Study, type StudyTerms, type TableStudy } from './study.ts';

/** The study as one of tables; refuses one that reads something else. */
export function tableStudy(study: Study): TableStudy {
  if (isTableStudy(study)) return study;
  throw new DataError(
    'the study has no formula and no codebook',
    {},
    'this is for regressions of a table: give such a study',
  );
}

/** What a study asks for, in a line: its formula, or else its name or the name of its fusion. */
export function studyTitle({
  formula,
  name,
  fusion,
}: Pick<StudyTerms, 'name' | 'fusion'> & Partial<Pick<TableStudy, 'formula'>>): string {
  return formula ?? name ?? fusion.kind;
}
