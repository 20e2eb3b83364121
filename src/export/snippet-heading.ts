import { estimateWords } from '../model/estimate-text.ts';
import { grouped } from '../model/number-text.ts';
import { clippedWords, privacyWords, rowsWords } from '../model/privacy-text.ts';
import { studyDigest } from '../study/study.ts';
import { type ExportedModel, learntBy } from './exported-model.ts';
import { comment } from './snippet-text.ts';

/** Where a model comes from, as comment lines of R and Python alike. */
export function snippetHeading(model: ExportedModel): string[] {
  const { study, report } = model;
  const { sites, siteEffects, digest } = report;
  const name = study.name === undefined ? [] : [study.name];
  return [
    ...name,
    report.formula,
    `${learntBy(model)}; ${rowsWords(report)} rows from ${grouped(sites.length)} ${sites.length === 1 ? 'site' : 'sites'}`,
    ...(siteEffects === undefined || siteEffects.kind === 'fixed'
      ? []
      : ['Site effects are left out: it predicts for a mean site.']),
    ...clippedWords(report),
    ...privacyWords(report),
    ...estimateWords(report),
    `study ${studyDigest(study)}`,
    `total ${digest}`,
    'Made by suffice export.',
  ].map(comment);
}
