import { isQuicklyChecked } from './across/quick-check.ts';
import { sanity } from './across/sanity.ts';
import type { Collected } from './aggregation/aggregation.ts';
import { type Inquiry, inquire, isAsked } from './analysis/inquiry.ts';
import type { Answered } from './analysis/question.ts';
import { auditTotal } from './disclosure/audit-total.ts';
import { thresholdsOf } from './disclosure/profile.ts';
import type { Failure } from './failure.ts';
import { mappedNames } from './features/mapped-columns.ts';
import { type Agreement, published, regressionOf, totalDigest } from './federate.ts';
import { linearSums } from './fusion/linear-sums.ts';
import type { Resolved } from './fusion/method.ts';
import type { Report, SiteLine } from './model/report.ts';
import { withOriginal } from './model/unfold.ts';
import type { WordSource } from './random/words.ts';
import type { Statistic } from './statistic/statistic.ts';
import { studyTitle } from './study/study-title.ts';

/** A report, and the answers to what else was asked. */
export interface Findings {
  readonly report: Report;
  readonly answers: readonly Answered[];
}

/** Why there are no findings; `withheld` where the disclosure rules of the study forbid them. */
export interface Unconcluded extends Failure {
  readonly withheld?: true;
}

/** How what was collected is concluded. */
export interface ConclusionTerms {
  /** What each site brought, for the report. */
  readonly sites: readonly SiteLine[];
  readonly inquiry?: Inquiry;
  /** What noise is drawn from; secure randomness unless given. */
  readonly words?: WordSource;
  /**
   * Who reads it. Everyone: under the disclosure rules. The analyst: also what looks wrong about a site. The owner of all
   * rows: without disclosure rules, since there is nobody to protect them from.
   */
  readonly audience: 'everyone' | 'analyst' | 'owner';
}

/**
 * The coordinator's half, for everyone who adds contributions: refuses what may not be published, adds noise where the
 * study is private, resolves, answers, and says what looks wrong.
 */
export function conclude(
  agreed: Agreement,
  exact: Collected,
  { sites, inquiry = { questions: [] }, words, audience }: ConclusionTerms,
): Findings | Unconcluded {
  const unasked = unanswerable(agreed, inquiry);
  if (unasked !== undefined) return unasked;
  const withheld = audience === 'owner' ? undefined : unpublishable(agreed, exact.total);
  if (withheld !== undefined) return { ...withheld, withheld: true };
  const sent = published(agreed, exact, words);
  const lines = agreed.method.noise === undefined ? sites : sites.map(({ name }) => ({ name }));
  const found = resolved(agreed, sent, lines, inquiry);
  if ('problem' in found || audience === 'everyone') return found;
  return { ...found, report: withFlags(agreed, sent, found.report) };
}

/** The report of what may be looked at, and the answers to an inquiry; or why there are none. */
export function findings(
  agreed: Agreement,
  sent: Collected,
  sites: readonly SiteLine[],
  inquiry: Inquiry = { questions: [] },
): Findings | Failure {
  return unanswerable(agreed, inquiry) ?? resolved(agreed, sent, sites, inquiry);
}

/** The same for an inquiry that may be asked. */
function resolved(
  agreed: Agreement,
  sent: Collected,
  sites: readonly SiteLine[],
  inquiry: Inquiry,
): Findings | Failure {
  if (!isAsked(inquiry)) {
    const made = agreed.method.resolve(sent);
    if ('problem' in made) return made;
    return { report: reportOf(agreed, sent.total, made, sites), answers: [] };
  }
  const { method } = agreed;
  const { study, design } = regressionOf(agreed);
  const { contributions } = sent;
  const sources = { study, design, contributions, ...linearSums(sent) };
  const found = inquire(method, sources, inquiry);
  if ('problem' in found) return found;
  const { without = [] } = inquiry;
  const left = without.length === 0 ? '' : `, without ${without.join(', ')}`;
  const formula = `${study.formula}${left}`;
  const report = reportOf(agreed, sent.total, found.resolved, sites, formula);
  return { report, answers: found.answers };
}

/** A resolved model in its public shape, named by the digest of study, layout and total. */
export function reportOf(
  agreed: Agreement,
  total: Statistic,
  resolved: Resolved,
  sites: readonly SiteLine[],
  formula: string = studyTitle(agreed.study),
): Report {
  const made = resolved.report({ formula, sites, digest: totalDigest(agreed, total) });
  const { regression } = agreed.method;
  return regression === undefined ? made : withOriginal(made, regression.design, resolved.models);
}

/** Why nothing but its report can be asked of a study, if so. */
export function unanswerable(
  { method: { questions } }: Pick<Agreement, 'method'>,
  inquiry: Inquiry,
): Failure | undefined {
  return isAsked(inquiry) && 'none' in questions ? questions.none : undefined;
}

/** Why a total may not be published under the study's disclosure rules, if so; noise is what protects a private one. */
function unpublishable({ study, method }: Agreement, total: Statistic): Failure | undefined {
  const standard = thresholdsOf(study.disclosure);
  if (method.noise !== undefined || standard === 'none') return undefined;
  const { outcome, rules } = auditTotal(total, method.regression?.design.terms ?? [], standard);
  if (outcome !== 'refuse') return undefined;
  const broken = rules.filter((rule) => rule.outcome === 'block');
  return {
    problem: `the total does not pass the disclosure rules: ${broken.map(({ rule, title }) => `${rule} (${title})`).join(', ')}`,
    remedy: broken[0].verdicts[0].remedy,
  };
}

/** The same with what looks wrong about a site, for those who may know each site's sums; nothing is left out for it. */
function withFlags({ method }: Agreement, sent: Collected, made: Report): Report {
  const { questions, regression } = method;
  if ('none' in questions || questions.of !== 'sums') return made;
  const { total, parts } = linearSums(sent);
  if (parts === undefined) return made;
  if (!isQuicklyChecked(parts.length, total.layout.columns.length)) return made;
  // Of a mapped column nobody could say whether its unit or its sign is the right one.
  const strange = regression === undefined ? new Set() : mappedNames(regression.design);
  const flags = sanity(total, parts).flags.filter(({ column }) => !strange.has(column ?? ''));
  return flags.length === 0 ? made : { ...made, flags };
}
