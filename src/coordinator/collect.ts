import { sql } from 'kysely';
import type { Collected, PartyAnswer } from '../aggregation/aggregation.ts';
import type { Failure } from '../failure.ts';
import { type Agreement, collectorFor } from '../federate.ts';
import type { Method } from '../fusion/method.ts';
import type { SignedSlip } from '../protocol/helper-messages.ts';
import { contributionLimit, storedEntries } from '../statistic/envelope.ts';
import { bytesOf, type Layout } from '../statistic/layout.ts';
import type { RingVector } from '../statistic/ring.ts';
import { digestBytes } from '../study/digest.ts';
import { damagedStore, readEntries, readWhole } from './blocks.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { helperAnswer, slipIn } from './helper-answer.ts';
import { maskAnswer } from './mask-answer.ts';
import type { Store } from './store.ts';
import type { ActiveSet, StoredContribution } from './stored-contributions.ts';
import type { ContributionsTable } from './tables.ts';

/** Most bytes of site statistics in memory at once, if the method needs them one by one. */
const MOST_BYTES = 2 ** 30;

/** Adds the active contributions; keeps each site's statistic if the method or a question needs it. Undefined if they have changed meanwhile. */
export async function collectActive(
  context: CoordinatorContext,
  id: string,
  agreed: Agreement,
  { bySite }: ActiveSet,
  wanted: { readonly method: Pick<Method, 'needsSites'>; readonly across: boolean },
): Promise<Collected | Failure | undefined> {
  const { layout, method, aggregation } = agreed;
  const bytes = bySite.size * bytesOf(layout);
  const visible =
    method.noise === undefined &&
    aggregation.sees === 'sites' &&
    aggregation.minimumSites === undefined;
  const inGroups = aggregation.grouping !== undefined && wanted.method.needsSites;
  const needed = inGroups || (visible && (wanted.across || wanted.method.needsSites));
  if (needed && bytes > MOST_BYTES) {
    return {
      problem: `the statistics of ${bySite.size} sites take ${Math.ceil(bytes / 2 ** 20)} MB together, more than the coordinator may keep in memory`,
      remedy:
        'choose a method that needs only the sum over sites: a ridge by GCV with classical errors, or fisher-diagonal for networks',
    };
  }
  const all = [...bySite.values()].flat();
  const collector = collectorFor(agreed, needed ? 'sites' : 'total');
  const slips: SignedSlip[] = [];
  const { helper } = aggregation;
  const whole = await readContributions(context.store, id, agreed, all, {
    whole(site, body) {
      collector.add(site, { values: storedEntries(layout, body) });
      if (helper !== undefined) slips.push(slipIn(agreed, body));
    },
    ...(needed || helper !== undefined
      ? {}
      : { part: (site, values, first) => collector.add(site, { values, first }) }),
  });
  if (!whole) return undefined;
  const answer = await othersAnswer(context, id, agreed, { bySite, slips });
  if (answer === undefined) return undefined;
  const collected = 'problem' in answer ? answer : collector.finish(answer);
  if ('problem' in collected || collected.parts === undefined) return collected;
  // Sites in the order of the resolution; the store returns rows in any order.
  const order = new Map(Array.from(bySite.keys(), (site, place) => [site, place]));
  const place = (site: string) => order.get(site) ?? 0;
  return { ...collected, parts: collected.parts.toSorted((a, b) => place(a.site) - place(b.site)) };
}

/** What a helper or the sites know of the total, if the study has one or they agree on masks; undefined if the helper could not use a contribution. */
async function othersAnswer(
  context: CoordinatorContext,
  id: string,
  agreed: Agreement,
  { bySite, slips }: Pick<ActiveSet, 'bySite'> & { readonly slips: readonly SignedSlip[] },
): Promise<readonly PartyAnswer[] | Failure | undefined> {
  const { helper, masks } = agreed.aggregation;
  if (helper !== undefined) return helperAnswer(context, id, agreed, slips);
  if (masks === undefined) return [];
  const answer = await maskAnswer(context, id, agreed, bySite);
  return 'problem' in answer ? answer : [answer];
}

/** Bytes of contributions in memory at once. */
const BATCH_BYTES = 2 ** 22;

/** Takes contributions as they are read. */
export interface ContributionReader {
  whole(site: string, body: Uint8Array): void;
  /** Takes the entries of one that is stored in blocks, part by part in their order; it is taken as a whole unless given. */
  part?(site: string, values: RingVector, first: number): void;
}

/**
 * Gives each of these contributions to the reader, one batch at a time; false if one of them has been erased meanwhile.
 * Each body is checked against its digest, so the total has exactly what was acknowledged.
 */
export async function readContributions(
  { db }: Store,
  id: string,
  { layout }: Agreement,
  contributions: readonly StoredContribution[],
  take: ContributionReader,
): Promise<boolean> {
  const size = Math.max(1, Math.min(500, Math.floor(BATCH_BYTES / contributionLimit(layout))));
  for (let from = 0; from < contributions.length; from += size) {
    const batch = contributions.slice(from, from + size);
    const places = batch.map(({ site, sequence }) => sql`(${site}, cast(${sequence} as bigint))`);
    const rows = await db
      .selectFrom('contributions')
      .select(['site', 'digest', 'body', 'bytes'])
      .where('study', '=', id)
      .where(sql<boolean>`(site, sequence) in (values ${sql.join(places)})`)
      .execute();
    const digests = new Set(batch.map(({ digest }) => digest));
    for (const row of rows) {
      if (row.digest === null || !digests.has(row.digest)) return false;
      if (!(await readOne(db, id, layout, row, take))) return false;
    }
    if (rows.length < batch.length) return false;
    await new Promise((resolve) => setTimeout(resolve)); // lets other requests run
  }
  return true;
}

async function readOne(
  db: Store['db'],
  id: string,
  layout: Layout,
  row: Pick<ContributionsTable, 'site' | 'digest' | 'body' | 'bytes'>,
  take: ContributionReader,
): Promise<boolean> {
  const { site, digest, body, bytes } = row;
  if (body !== null) {
    if (digestBytes(body) !== digest) throw damagedStore(id);
    take.whole(site, body);
    return true;
  }
  if (take.part !== undefined) {
    const { part } = take;
    return readEntries(db, id, layout, row, (values, first) => part(site, values, first));
  }
  const whole = await readWhole(db, { study: id, site, file: digest ?? '' }, bytes ?? 0);
  if (whole === undefined) return false;
  take.whole(site, whole);
  return true;
}
