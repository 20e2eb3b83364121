import { defined } from '../defined.ts';
import { audit, type ExactAuditInput, needsLeverage } from '../disclosure/audit.ts';
import { budgetStandard } from '../disclosure/budget-rule.ts';
import { type History, historyOf } from '../disclosure/history.ts';
import { leastDifference } from '../disclosure/history-rules.ts';
import { warnOfLaxLimits } from '../disclosure/lax-limits.ts';
import { thresholdsOf } from '../disclosure/profile.ts';
import type { PastRelease } from '../disclosure/release.ts';
import { sortedTags } from '../disclosure/row-tags.ts';
import type { Audit } from '../disclosure/rule.ts';
import { largestScoreShare } from '../disclosure/score-share.ts';
import type { SiteRules } from '../disclosure/site-rules.ts';
import { hasComparison } from '../features/expression-parts.ts';
import type { Agreement } from '../federate.ts';
import type { Method, Regression, StartingPoint } from '../fusion/method.ts';
import { type Inspection, releasedLabels, weightsOf } from '../rows/inspection.ts';
import { joinLeverages, type LeverageJob } from '../rows/leverage-job.ts';
import { originalColumns } from '../rows/original-facts.ts';
import type { Pool } from '../rows/pool.ts';
import type { Source } from '../rows/source.ts';
import { taggedColumns } from '../rows/tagged-columns.ts';
import type { Watch } from '../rows/watch.ts';
import type { ContributionNumbering } from '../statistic/envelope.ts';
import { linearStatistic } from '../statistic/statistic.ts';
import type { Study, TableStudy } from '../study/study.ts';
import type { SiteReduction } from './site-table.ts';
import { personsIn, type TaggedFile, taggedFile } from './tagged-file.ts';

/** A contribution to review, and the site's earlier releases. */
export interface Review {
  readonly agreed: Agreement;
  /** The study with the decimal mark of the file. */
  readonly study: Study;
  readonly site: string;
  readonly numbering: ContributionNumbering;
  readonly place: string;
  readonly source: Source;
  readonly reduced: SiteReduction;
  readonly past: readonly PastRelease[];
  readonly tagKey: Uint32Array;
  /** The site's own disclosure rules, beside those of the study: those it keeps, and those of this call. */
  readonly own: readonly SiteRules[];
}

/** The result of a review. */
export interface Reviewed {
  /** Absent if study and site have switched off the rules. */
  readonly audit?: Audit;
  readonly history: History;
  /** The rows as the ledger compares them. */
  readonly rows: TaggedFile;
  /** In a private study. */
  readonly budget?: Budget;
}

/** The privacy cost of a release for its rows, what they have spent before, and the limit. */
export interface Budget {
  /** √Σμ² of earlier private releases of these rows, without those that this charge covers. */
  readonly spentMu: number;
  readonly mu: number;
  /** The largest ε, at δ = 1e-5, of all releases of a row together. */
  readonly epsilon: number;
}

/** Compares a contribution with earlier releases, and applies the disclosure rules. */
export async function reviewRelease(review: Review, pool: Pool, watch: Watch): Promise<Reviewed> {
  const { agreed, reduced, own } = review;
  const { study, method } = agreed;
  const { summary, inspection } = reduced;
  const { facts } = inspection;
  const charge = method.noise?.charge(review.place);
  const exact = charge === undefined ? thresholdsOf(study.disclosure, ...own) : 'none';
  const { source, past, tagKey } = review;
  const rows = await taggedFile(agreed, source, inspection, past, tagKey, pool, watch);
  const history = historyOf(
    {
      study: agreed.digest,
      site: review.site,
      mode: review.numbering.mode,
      columns: taggedColumns(agreed),
      labels: releasedLabels(method),
      ...defined({ charge }),
      ...weightsOf(method),
      tags: new Map([...rows.tags].map(([digest, all]) => [digest, sortedTags([all], rows.used)])),
      people: rows.people,
      file: rows,
      ...(exact === 'none' ? {} : { least: leastDifference(exact.thresholds) }),
    },
    past,
  );
  if (charge !== undefined) {
    const standard = budgetStandard(study.disclosure, ...own);
    const { epsilon } = standard.thresholds;
    const budget = { spentMu: history.spentMu, mu: charge.mu, epsilon };
    return { history, rows, budget, audit: audit({ charge, history }, standard) };
  }
  if (exact === 'none') return { history, rows };
  const { regression } = method;
  const persons = defined({ persons: personsIn(rows) });
  if (regression === undefined || facts === undefined) {
    const madeUp = madeUpIn(method, review) !== undefined;
    const network = summary.network && { facts: summary.network, madeUp, ...method.network };
    const judged = audit(
      { rows: summary.rows, ...persons, ...defined({ network }), history },
      exact,
    );
    return { history, rows, audit: warnOfLaxLimits(judged, study.disclosure ?? {}, exact) };
  }
  const { design } = regression;
  const known = {
    statistic: linearStatistic(summary.statistic),
    facts,
    terms: design.terms,
    ...originalsOf(regression, inspection),
    ...defined({ madeUp: madeUpIn(method, review) }),
    ignored: design.columns.flatMap(({ name, origin }) => (origin === 'site' ? [name] : [])),
    ...persons,
    history,
  };
  const measured = needsLeverage(known, exact) ? await secondPass(review, pool, watch) : {};
  const judged = audit({ ...known, ...measured, ...forbiddenIn(regression.study, own) }, exact);
  return { history, rows, audit: warnOfLaxLimits(judged, study.disclosure ?? {}, exact) };
}

/** What the study gives from an earlier round decides, if nothing vouches for it. */
function madeUpIn({ start }: Method, review: Review): StartingPoint['decides'] | undefined {
  return start === undefined || isVouchedFor(start, review) ? undefined : start.decides;
}

/** Whether a coordinator has compared a study's start, or the site has contributed to the round they are from. */
function isVouchedFor({ from }: StartingPoint, { place, past }: Review): boolean {
  return from !== undefined && (place !== 'file' || past.some(({ study }) => study === from.study));
}

/** Whether the formula compares, where the site takes no comparisons. */
export function forbiddenIn(
  { formula }: Pick<TableStudy, 'formula'>,
  own: readonly SiteRules[],
): Pick<ExactAuditInput, 'forbidden'> {
  const forbids = own.some(({ comparisons }) => comparisons === 'forbid');
  return forbids && hasComparison(formula) ? { forbidden: 'comparisons' } : {};
}

/** The columns before a feature map and the parts of expressions, with the facts about them. */
function originalsOf(
  regression: Regression,
  { originals: facts }: Inspection,
): Pick<ExactAuditInput, 'originals'> {
  const original = originalColumns(regression);
  if (original === undefined || facts === undefined) return {};
  const { layout, terms, sums, tooLong } = original;
  return { originals: { layout, facts, terms, expressions: { sums, tooLong } } };
}

/** The largest leverage of a row, and how rows count that do not count alike, from a second pass over the file. */
async function secondPass(
  { study, site, source, reduced: { summary, inspection } }: Review,
  pool: Pool,
  watch: Watch,
): Promise<Pick<ExactAuditInput, 'leverage' | 'wholeLeverage' | 'weighted' | 'squaredScores'>> {
  const { values } = summary.statistic;
  const { columns: facts } = (inspection.originals ?? inspection.facts)!;
  const { weightedAt } = summary;
  const job: LeverageJob = {
    ...{ kind: 'leverage', study, source, site, values, facts },
    ...defined({ weightedAt }),
  };
  const bar = watch('looking for rows that stand out', source.length);
  const [{ largest, whole = largest, score, weighted, squaredScores }] = await pool
    .run([job], joinLeverages, bar.update)
    .finally(bar.done);
  // Of a likelihood's score the bound is enough: as if one row had the largest share of both.
  const more = score === undefined ? 0 : largestScoreShare(score);
  return {
    leverage: largest,
    wholeLeverage: Math.min(1, whole + more),
    ...defined({ weighted, squaredScores }),
  };
}
