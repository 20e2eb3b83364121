import type { Collected } from './aggregation/aggregation.ts';
import { hasQuery, type Query, runQuery } from './analysis/query.ts';
import type { Answered } from './analysis/question.ts';
import { heterogeneity } from './between-sites/heterogeneity.ts';
import { isQuicklyChecked, sanity } from './between-sites/sanity.ts';
import { defined } from './defined.ts';
import { auditTotal } from './disclosure/audit-total.ts';
import { thresholdsOf } from './disclosure/profile.ts';
import type { Failure } from './failure.ts';
import { mappedNames } from './features/mapped-columns.ts';
import { type Agreement, regressionOf, releasable, totalDigest } from './federate.ts';
import { linearSums } from './fusion/linear-sums.ts';
import type { Resolved } from './fusion/method.ts';
import { withClasses } from './model/class-calibration.ts';
import { disagreementIn } from './model/disagreement.ts';
import type { Report, SiteLine } from './model/report.ts';
import { withOriginal } from './model/unfold.ts';
import type { WordSource } from './random/words.ts';
import type { LinearSiteStatistic } from './statistic/site-statistics.ts';
import type { LinearStatistic, Statistic } from './statistic/statistic.ts';
import { studyTitle } from './study/study-title.ts';

/** A report, and the answers to further questions. */
export interface Result {
  readonly report: Report;
  readonly answers: readonly Answered[];
}

/** Why there is no result; `withheld` where the disclosure rules of the study forbid it. */
export interface NoResult extends Failure {
  readonly withheld?: true;
}

/** Options of `conclude`. */
export interface ConclusionTerms {
  /** The sites' lines of the report. */
  readonly sites: readonly SiteLine[];
  readonly query?: Query;
  /** Source of the noise; secure randomness unless given. */
  readonly random?: WordSource;
  /**
   * Who reads the result. Everyone: under the disclosure rules. The analyst: also suspicious contributions. The owner
   * of all rows: without disclosure rules, since the owner knows the rows.
   */
  readonly audience: 'everyone' | 'analyst' | 'owner';
}

/**
 * The coordinator's half, for everyone who adds contributions: refuses what may not be published, adds noise where the
 * study is private, resolves, answers questions, and flags suspicious contributions.
 */
export function conclude(
  agreed: Agreement,
  collected: Collected,
  { sites, query = { questions: [] }, random, audience }: ConclusionTerms,
): Result | NoResult {
  const unasked = whyNoQueries(agreed, query);
  if (unasked !== undefined) return unasked;
  const withheld = audience === 'owner' ? undefined : withheldTotal(agreed, collected.total);
  if (withheld !== undefined) return { ...withheld, withheld: true };
  const visible = releasable(agreed, collected, random);
  const lines = agreed.method.noise === undefined ? sites : sites.map(({ name }) => ({ name }));
  const found = resolved(agreed, visible, lines, query);
  if ('problem' in found || audience === 'everyone') return found;
  return { ...found, report: withFlags(agreed, visible, found.report) };
}

/** The report of what may be published, and the answers to a query; or why there are none. */
export function resultOf(
  agreed: Agreement,
  collected: Collected,
  sites: readonly SiteLine[],
  query: Query = { questions: [] },
): Result | Failure {
  return whyNoQueries(agreed, query) ?? resolved(agreed, collected, sites, query);
}

/** The same, for a query that the study allows. */
function resolved(
  agreed: Agreement,
  collected: Collected,
  sites: readonly SiteLine[],
  query: Query,
): Result | Failure {
  if (!hasQuery(query)) {
    const made = agreed.method.resolve(collected);
    if ('problem' in made) return made;
    return { report: reportOf(agreed, collected.total, made, sites), answers: [] };
  }
  const { method } = agreed;
  const { study, design } = regressionOf(agreed);
  const { contributions } = collected;
  const sources = { study, design, contributions, ...linearSums(collected) };
  const found = runQuery(method, sources, query);
  if ('problem' in found) return found;
  const { without = [] } = query;
  const left = without.length === 0 ? '' : `, without ${without.join(', ')}`;
  const formula = `${studyTitle(agreed.study)}${left}`;
  const report = reportOf(agreed, collected.total, found.resolved, sites, formula);
  return { report, answers: found.answers };
}

/** The report of a resolved model, with the digest of study, layout and total. */
export function reportOf(
  agreed: Agreement,
  total: Statistic,
  resolved: Resolved,
  sites: readonly SiteLine[],
  formula: string = studyTitle(agreed.study),
): Report {
  const made = resolved.report({ formula, sites, digest: totalDigest(agreed, total) });
  const { regression } = agreed.method;
  if (regression === undefined) return made;
  const { design } = regression;
  return withClasses(withOriginal(made, design, resolved.models), design, resolved.fit);
}

/** Why a study answers no query, if so. */
export function whyNoQueries(
  { method: { questions } }: Pick<Agreement, 'method'>,
  query: Query,
): Failure | undefined {
  return hasQuery(query) && 'none' in questions ? questions.none : undefined;
}

/** Why the study's disclosure rules forbid publishing a total, if so; they do not apply to a private study. */
export function withheldTotal({ study, method }: Agreement, total: Statistic): Failure | undefined {
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

/** Whether one model describes all sites; not asked where each site has an intercept, or responses are several. */
function disagreementOf(
  total: LinearStatistic,
  sites: readonly LinearSiteStatistic[],
  { siteEffects, responses }: Report,
): Pick<Report, 'disagreement'> {
  if (siteEffects !== undefined || responses !== undefined || sites.length < 2) return {};
  const compared = heterogeneity(total, sites, 0);
  return 'problem' in compared ? {} : defined({ disagreement: disagreementIn(compared) });
}

/** The report with suspicious contributions, and whether the sites agree, for readers who may know each site's sums. */
function withFlags({ method }: Agreement, collected: Collected, found: Report): Report {
  const { questions, regression } = method;
  if ('none' in questions) return found;
  const { total, sites } = linearSums(collected);
  if (sites === undefined) return found;
  if (!isQuicklyChecked(sites.length, total.layout.columns.length)) return found;
  const made = { ...found, ...disagreementOf(total, sites, found) };
  if (questions.basis !== 'sums') return made;
  // For a mapped column, nobody could say whether its unit or its sign is right.
  const mapped = regression === undefined ? new Set() : mappedNames(regression.design);
  const flags = sanity(total, sites).flags.filter(({ column }) => !mapped.has(column ?? ''));
  return flags.length === 0 ? made : { ...made, flags };
}
