import { isQuicklyChecked } from './across/quick-check.ts';
import { sanity } from './across/sanity.ts';
import { type Inquiry, inquire } from './analysis/inquiry.ts';
import type { Answered } from './analysis/question.ts';
import { auditTotal } from './disclosure/audit-total.ts';
import { thresholdsOf } from './disclosure/profile.ts';
import { mappedNames } from './features/mapped-columns.ts';
import { type Agreement, report, type Sent, totalDigest } from './federate.ts';
import { resolveEstimates } from './fusion/estimate.ts';
import { resolvePrivate } from './fusion/private.ts';
import { createEstimateReport } from './model/estimate-report.ts';
import { createPrivateReport } from './model/private-report.ts';
import { publicRange } from './model/public-range.ts';
import type { Report, SiteLine } from './model/report.ts';
import { withOriginal } from './model/unfold.ts';
import { placementOf } from './privacy/placement.ts';
import { privateLayout } from './privacy/private-layout.ts';
import type { Unsolved } from './solve/solution.ts';
import type { Statistic } from './statistic/statistic.ts';
import type { EstimateFusion, PrivacyTerms, Study } from './study/study.ts';

/** A report, and the answers to what else was asked. */
export interface Findings {
  readonly report: Report;
  readonly answers: readonly Answered[];
}

/** What a study has collected, as its report and the answers to an inquiry; or why there are none. */
export function findings(
  agreed: Agreement,
  sent: Sent,
  sites: readonly SiteLine[],
  inquiry: Inquiry = { questions: [] },
): Findings | Unsolved {
  const { study, design } = agreed;
  const refused = unanswerable(study, inquiry);
  if (refused !== undefined) return refused;
  if (study.privacy) return privateFindings(agreed, study.privacy, sent, sites);
  const { fusion } = study;
  if (fusion.kind === 'average' || fusion.kind === 'fesc') {
    return estimateFindings(agreed, fusion, sent, sites);
  }
  const { total, parts } = sent;
  const sources = { study, design, total, ...(parts === undefined ? {} : { parts }) };
  const found = inquire(sources, inquiry);
  if ('problem' in found) return found;
  const { without = [] } = inquiry;
  const left = without.length === 0 ? '' : `, without ${without.join(', ')}`;
  const made = report(agreed, total, found.fit, sites, `${study.formula}${left}`);
  return { report: made, answers: found.answers };
}

/** Why nothing but its report can be asked of a study, if so. */
export function unanswerable(
  { privacy, fusion }: Study,
  { method, without = [], questions }: Inquiry,
): Unsolved | undefined {
  if (method === undefined && without.length === 0 && questions.length === 0) return undefined;
  if (fusion.kind === 'average' || fusion.kind === 'fesc') {
    return {
      problem: 'the sites sent estimates of their own, not sums: their report is all there is',
      advice: 'ask for the report alone, or make a study with the ridge fusion, which is exact',
    };
  }
  if (!privacy) return undefined;
  return {
    problem: 'the study is private: its report is all there is to see',
    advice:
      'ask for the report alone; what else is to be known must be asked by a study of its own',
  };
}

/** What a noisy total gives: its report, and nothing that would need exact sums. */
function privateFindings(
  agreed: Agreement,
  terms: PrivacyTerms,
  { total, contributions }: Sent,
  sites: readonly SiteLine[],
): Findings | Unsolved {
  const { study, design } = agreed;
  const { refinement: _, ...first } = terms;
  const fit = resolvePrivate(total, terms, privateLayout(design, first), {
    noises: placementOf(terms).noises(contributions),
    ridge: study.fusion.kind === 'ridge' ? Number(study.fusion.ridge) : 0,
  });
  if ('problem' in fit) return fit;
  const digest = totalDigest(agreed, total);
  const report = createPrivateReport(fit, terms, {
    formula: study.formula,
    sites,
    digest,
    range: publicRange(study),
  });
  const covariance = () => ('covariance' in fit.errors ? fit.errors.covariance : undefined);
  return { report: withOriginal(report, design, [{ ...fit, covariance }]), answers: [] };
}

/** What the sites' own estimates give together. */
function estimateFindings(
  agreed: Agreement,
  fusion: EstimateFusion,
  { total, parts }: Sent,
  sites: readonly SiteLine[],
): Findings | Unsolved {
  const fit = resolveEstimates(total, fusion, parts);
  if ('problem' in fit) return fit;
  const { formula, grid = 44 } = agreed.study;
  const digest = totalDigest(agreed, total);
  const made = createEstimateReport(fit, { formula, sites, digest, grid });
  const models = fit.models.map((model) => ({
    ...model,
    covariance: () => model.errors?.covariance,
  }));
  return { report: withOriginal(made, agreed.design, models), answers: [] };
}

/** Why a total may not be published under the study's disclosure rules, if so; noise is what protects a private one. */
export function unpublishable(
  { study, design }: Agreement,
  total: Statistic,
): Unsolved | undefined {
  const standard = thresholdsOf(study.disclosure);
  if (study.privacy || standard === 'none') return undefined;
  const { outcome, rules } = auditTotal(total, design.terms, standard);
  if (outcome !== 'refuse') return undefined;
  const broken = rules.filter((rule) => rule.outcome === 'block');
  return {
    problem: `the total does not pass the disclosure rules: ${broken.map(({ rule, title }) => `${rule} (${title})`).join(', ')}`,
    advice: broken[0].verdicts[0].remedy,
  };
}

/**
 * The same with what looks wrong about a site, for those who may know each site's sums; nothing is left out for it.
 */
export function withFlags(
  { study, layout, design }: Agreement,
  { total, parts }: Sent,
  made: Report,
): Report {
  if (parts === undefined || study.fusion.kind !== 'ridge') return made;
  if (!isQuicklyChecked(parts.length, layout.columns.length)) return made;
  // Of a mapped column nobody could say whether its unit or its sign is the right one.
  const strange = mappedNames(design);
  const flags = sanity(total, parts).flags.filter(({ column }) => !strange.has(column ?? ''));
  return flags.length === 0 ? made : { ...made, flags };
}
