import { grouped } from '../model/number-text.ts';
import { methodWords } from '../study/method-words.ts';
import { studyDigest } from '../study/study.ts';
import type { ExportedModel } from './exported-model.ts';
import { comment } from './snippet-text.ts';

/** Where a model comes from, as comment lines of R and Python alike. */
export function snippetHeading({ study, report }: ExportedModel): string[] {
  const { n, sites, siteEffects, digest } = report;
  const name = study.name === undefined ? [] : [study.name];
  return [
    ...name,
    study.formula,
    `${methodWords(study.fusion)}; ${grouped(n)} rows from ${grouped(sites.length)} ${sites.length === 1 ? 'site' : 'sites'}`,
    ...(siteEffects === undefined || siteEffects.kind === 'fixed'
      ? []
      : ['Site effects are left out: it predicts for a mean site.']),
    `study ${studyDigest(study)}`,
    `total ${digest}`,
    'Made by suffice export.',
  ].map(comment);
}
