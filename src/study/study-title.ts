import type { StudyTerms, TableStudy } from './study.ts';

/** A study in one line: its formula, or else its name or the name of its fusion. */
export function studyTitle({
  formula,
  name,
  fusion,
}: Pick<StudyTerms, 'name' | 'fusion'> & Partial<Pick<TableStudy, 'formula'>>): string {
  return formula ?? name ?? fusion.kind;
}
