import { defined } from '../defined.ts';
import { audit, type ExactAuditInput, needsLeverage } from '../disclosure/audit.ts';
import { budgetStandard } from '../disclosure/budget-rule.ts';
import { type History, historyOf } from '../disclosure/history.ts';
import { leastDifference } from '../disclosure/history-rules.ts';
import { thresholdsOf } from '../disclosure/profile.ts';
import type { PastRelease } from '../disclosure/release.ts';
import type { Audit } from '../disclosure/rule.ts';
import type { Agreement } from '../federate.ts';
import type { Regression } from '../fusion/method.ts';
import { type Inspection, releasedLabels, taggedColumns, weightsOf } from '../rows/inspection.ts';
import type { LeverageJob } from '../rows/leverage-job.ts';
import { originalLayout } from '../rows/original-facts.ts';
import type { Pool } from '../rows/pool.ts';
import type { Source } from '../rows/source.ts';
import type { Watch } from '../rows/watch.ts';
import type { ContributionNumbering } from '../statistic/envelope.ts';
import { linearStatistic } from '../statistic/statistic.ts';
import type { DisclosureTerms, Study } from '../study/study.ts';
import type { SiteReduction } from './site-table.ts';
import { type TaggedFile, taggedFile, usedTags } from './tagged-file.ts';

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
  /** The site's own disclosure rules, beside those of the study. */
  readonly own?: DisclosureTerms;
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
  const exact = charge === undefined ? thresholdsOf(study.disclosure, own) : 'none';
  const { source, past, tagKey } = review;
  const rows = await taggedFile(agreed, source, inspection.used, past, tagKey, pool, watch);
  const history = historyOf(
    {
      study: agreed.digest,
      site: review.site,
      mode: review.numbering.mode,
      columns: taggedColumns(agreed),
      labels: releasedLabels(method),
      ...defined({ charge }),
      ...weightsOf(method),
      tags: new Map([...rows.tags].map(([digest, all]) => [digest, usedTags(all, rows.used)])),
      people: rows.people,
      file: rows,
      ...(exact === 'none' ? {} : { least: leastDifference(exact.thresholds) }),
    },
    past,
  );
  if (charge !== undefined) {
    const standard = budgetStandard(study.disclosure, own);
    const { epsilon } = standard.thresholds;
    const budget = { spentMu: history.spentMu, mu: charge.mu, epsilon };
    return { history, rows, budget, audit: audit({ charge, history }, standard) };
  }
  if (exact === 'none') return { history, rows };
  const { regression } = method;
  if (regression === undefined || facts === undefined) {
    return { history, rows, audit: audit({ rows: summary.rows, history }, exact) };
  }
  const { design } = regression;
  const known = {
    statistic: linearStatistic(summary.statistic),
    facts,
    terms: design.terms,
    ...originalsOf(regression, inspection),
    ignored: design.columns.flatMap(({ name, origin }) => (origin === 'site' ? [name] : [])),
    history,
  };
  const leverage = needsLeverage(known, exact)
    ? { leverage: await measuredLeverage(review, pool, watch) }
    : {};
  return { history, rows, audit: audit({ ...known, ...leverage }, exact) };
}

/** The columns before a feature map, with the facts about them. */
function originalsOf(
  { design: { mapped } }: Regression,
  { originals: facts }: Inspection,
): Pick<ExactAuditInput, 'originals'> {
  if (mapped === undefined || facts === undefined) return {};
  const { from } = mapped;
  return { originals: { layout: originalLayout(from), facts, terms: from.terms } };
}

/** The largest leverage of a row, from a second pass over the file. */
async function measuredLeverage(
  { study, site, source, reduced: { summary } }: Review,
  pool: Pool,
  watch: Watch,
): Promise<number> {
  const { values } = summary.statistic;
  const job: LeverageJob = { kind: 'leverage', study, source, site, values };
  const bar = watch('looking for rows that stand out', source.length);
  const [{ largest }] = await pool
    .run(
      [job],
      (parts) => ({ largest: Math.max(...parts.map((part) => part.largest)) }),
      bar.update,
    )
    .finally(bar.done);
  return largest;
}
