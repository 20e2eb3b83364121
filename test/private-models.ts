import { resolvePrivate } from '../src/fusion/private.ts';
import { publicRange } from '../src/model/prediction-cap.ts';
import { createPrivateReport } from '../src/model/private-report.ts';
import type { Report } from '../src/model/report.ts';
import { mechanismOf } from '../src/privacy/mechanism.ts';
import { privateColumns } from '../src/privacy/private-layout.ts';
import { withNoise } from '../src/privacy/private-noise.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import type { Codebook } from '../src/study/codebook.ts';
import { type PrivacyTerms, studyDigest, type TableStudy } from '../src/study/study.ts';
import { privateCase, type Row, summarize } from './private-tables.ts';

/** A private study of a formula. */
export function privateStudy(
  formula: string,
  codebook: Codebook,
  privacy: PrivacyTerms,
): TableStudy {
  return {
    schema: 'suffice/study@1',
    formula,
    codebook,
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
    privacy,
  };
}

/** What a study reports of rows, its noise drawn from a seed. */
export function privateReport(study: TableStudy, rows: readonly Row[], seed: number): Report {
  const terms = study.privacy as PrivacyTerms;
  const { refinement: _, ...first } = terms;
  const opening = privateCase(study.formula, study.codebook, first);
  const now = privateCase(study.formula, study.codebook, terms);
  const { statistic } = summarize(now, rows, 4096);
  const mechanism = mechanismOf(terms, privateColumns(now.layout));
  const total = withNoise(statistic, mechanism, seededWords(seed));
  const fit = resolvePrivate(total, terms, opening.layout);
  if ('problem' in fit) throw new Error(fit.problem);
  return createPrivateReport(fit, terms, {
    formula: study.formula,
    sites: [{ name: 'north' }, { name: 'south' }],
    digest: studyDigest(study),
    range: publicRange(study),
  });
}
