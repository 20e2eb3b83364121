import { DataError } from '../data-error.ts';
import { audit, type ExactEvidence, needsLeverage } from '../disclosure/audit.ts';
import { budgetStandard } from '../disclosure/budget-rule.ts';
import { type History, historyOf, type PastRelease } from '../disclosure/history.ts';
import { thresholdsOf } from '../disclosure/profile.ts';
import type { RowTags } from '../disclosure/row-tags.ts';
import type { Audit } from '../disclosure/rule.ts';
import type { Agreement } from '../federate.ts';
import type { Regression } from '../fusion/method.ts';
import { type Inspection, releasedLabels, taggedColumns } from '../rows/inspection.ts';
import type { LeverageJob } from '../rows/leverage-job.ts';
import { originalLayout } from '../rows/original-facts.ts';
import type { Pool } from '../rows/pool.ts';
import type { Source } from '../rows/source.ts';
import { joinTagResults, type TagJob } from '../rows/tag-job.ts';
import type { Watch } from '../rows/watch.ts';
import type { ContributionTurn } from '../statistic/envelope.ts';
import { linearStatistic } from '../statistic/statistic.ts';
import type { DisclosureTerms, Study } from '../study/study.ts';
import type { SiteReduction } from './site-table.ts';

/** What is to be released, and what the site has released before. */
export interface Review {
  readonly agreed: Agreement;
  /** As the file is read. */
  readonly study: Study;
  readonly site: string;
  readonly turn: ContributionTurn;
  readonly place: string;
  readonly source: Source;
  readonly reduced: SiteReduction;
  readonly past: readonly PastRelease[];
  readonly tagKey: Uint32Array;
  /** What the site asks for beside the study. */
  readonly own?: DisclosureTerms;
}

/** What looking at a release has shown. */
export interface Reviewed {
  /** Absent where study and site have switched the rules off. */
  readonly audit?: Audit;
  readonly history: History;
  /** Of a private release. */
  readonly budget?: Budget;
}

/** What a private release costs its rows, beside what they have spent and may. */
export interface Budget {
  /** √Σμ² of earlier private releases of these rows, as far as this one's own charge does not cover them. */
  readonly spentMu: number;
  readonly mu: number;
  /** The ε, at δ = 1e-5, that all releases of a row may add up to. */
  readonly epsilon: number;
}

/** Compares what would leave with what has left before, and holds it against the rules. */
export async function reviewRelease(review: Review, pool: Pool, watch: Watch): Promise<Reviewed> {
  const { agreed, reduced, own } = review;
  const { study, method } = agreed;
  const { summary, inspection } = reduced;
  const { facts } = inspection;
  const charge = method.noise?.charge(review.place);
  const history = historyOf(
    {
      study: agreed.digest,
      site: review.site,
      mode: review.turn.mode,
      columns: taggedColumns(agreed),
      labels: releasedLabels(method),
      ...(charge === undefined ? {} : { charge }),
      ...(study.weights === undefined ? {} : { weights: study.weights }),
      tags: await tagsOverPast(review, pool, watch),
    },
    review.past,
  );
  if (charge !== undefined) {
    const standard = budgetStandard(study.disclosure, own);
    const { epsilon } = standard.thresholds;
    const budget = { spentMu: history.spentMu, mu: charge.mu, epsilon };
    return { history, budget, audit: audit({ charge, history }, standard) };
  }
  const standard = thresholdsOf(study.disclosure, own);
  if (standard === 'none') return { history };
  const { regression } = method;
  if (regression === undefined || facts === undefined) {
    return { history, audit: audit({ rows: summary.rows, history }, standard) };
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
  const leverage = needsLeverage(known, standard)
    ? { leverage: await measuredLeverage(review, pool, watch) }
    : {};
  return { history, audit: audit({ ...known, ...leverage }, standard) };
}

/** The columns that mapped ones are of, with the facts about them. */
function originalsOf(
  { design: { mapped } }: Regression,
  { originals: facts }: Inspection,
): Pick<ExactEvidence, 'originals'> {
  if (mapped === undefined || facts === undefined) return {};
  const { from } = mapped;
  return { originals: { layout: originalLayout(from), facts, terms: from.terms } };
}

/** The largest leverage of a row, by a second look at all of them. */
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

/** Tags of the present rows over the columns of each earlier release that the file still has. */
async function tagsOverPast(
  { agreed, study, site, source, reduced, past, tagKey }: Review,
  pool: Pool,
  watch: Watch,
): Promise<ReadonlyMap<string, RowTags>> {
  const key = (columns: PastRelease['columns']) => JSON.stringify(columns);
  const known = new Map<string, RowTags | undefined>([
    [key(taggedColumns(agreed)), reduced.inspection.tags],
  ]);
  const found = new Map<string, RowTags>();
  for (const { digest, columns } of past) {
    if (columns.length === 0) continue;
    if (!known.has(key(columns))) {
      const there = columns.every(
        ({ name, column }) =>
          source.header.includes(name) &&
          (study.codebook[name]?.type ?? column.type) === column.type,
      );
      const job: TagJob = { kind: 'tag', study, source, site, tagKey, columns };
      known.set(key(columns), there ? await tagged(job, pool, watch) : undefined);
    }
    const tags = known.get(key(columns));
    if (tags !== undefined) found.set(digest, tags);
  }
  return found;
}

async function tagged(job: TagJob, pool: Pool, watch: Watch): Promise<RowTags | undefined> {
  const bar = watch('comparing with earlier releases', job.source.length);
  try {
    const [{ tags }] = await pool.run([job], joinTagResults, bar.update);
    return tags;
  } catch (failure) {
    if (failure instanceof DataError) return undefined; // the column holds something else now
    throw failure;
  } finally {
    bar.done();
  }
}
