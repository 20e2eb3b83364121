import { NO_TERM_TEXTS, type TermTexts, termTexts } from '../features/term-text.ts';
import { isTableStudy, type Study } from '../study/study.ts';
import { modelStudy } from './model-study.ts';
import type { Report } from './report.ts';

/** The names of a model's columns and terms for people; the baselines are those of its own columns. */
export function modelNames(study: Study, report: Report): TermTexts {
  if (!isTableStudy(study)) return NO_TERM_TEXTS;
  const { formula, codebook } = modelStudy(study, report);
  const texts = termTexts(formula, codebook);
  const { terms = [], original = [], aliased } = report;
  const rows = [...terms, ...original, ...(report.responses ?? []).flatMap((one) => one.terms)];
  const present = new Set([...rows.map(({ term }) => term), ...aliased]);
  const baselines = texts.baselines.filter(({ columns }) =>
    columns.some((one) => present.has(one)),
  );
  return { ...texts, baselines };
}
