import { aggregationOf } from '../aggregation/aggregations.ts';
import type { Failure } from '../failure.ts';
import type { Agreement } from '../federate.ts';
import type { SignedSlip } from '../protocol/helper-messages.ts';
import { storedEntries } from '../statistic/envelope.ts';
import { entriesOf, wordsOf } from '../statistic/layout.ts';
import { ringAddInto } from '../statistic/ring.ts';
import { ringShare } from '../statistic/ring-share.ts';
import type { Statistic } from '../statistic/statistic.ts';
import { readContributions } from './collect.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { askHelper, slipIn } from './helper-answer.ts';
import { changeSite } from './invitations.ts';
import { agreementsIn, openableIn, openingRows } from './openings.ts';
import { type ActiveSet, eraseContributions, storedContributions } from './stored-contributions.ts';
import { inStudy } from './study-session.ts';
import type { OpeningsTable } from './tables.ts';

/** What became of the contributions that sites have agreed to open: somebody was named, or why the helper cannot be asked. */
export type Opened = { readonly named: readonly string[] } | Failure;

/**
 * Opens and checks each contribution whose site has agreed, as soon as the helper allows it: the sites that have not agreed must
 * stay enough to hide in, or be none. A site with impossible numbers is named, and its contributions are erased.
 */
export async function openAgreed(
  context: CoordinatorContext,
  id: string,
  agreed: Agreement,
  active: ActiveSet,
): Promise<Opened> {
  const rows = await openingRows(context.store.db, id);
  const openable = openableIn(active);
  const named: string[] = [];
  for (const row of rows) {
    const stored = active.bySite.get(row.site);
    if (row.agreement === null || row.finding !== null || stored === undefined) continue;
    // The word is for these contributions, and late ones are others.
    if (openable.get(row.site) !== row.contributions) continue;
    const opened = await openSite(context, id, agreed, stored, rows);
    if (opened === undefined) return { named };
    if ('problem' in opened) return opened.later === true ? opened : { named };
    const why = wrongIn(agreed, opened);
    await recordFinding(context, id, row.site, why);
    if (why !== undefined) named.push(row.site);
  }
  return { named };
}

/** The statistic of one site, from its share and the helper's answer for it alone; undefined if its contributions have changed. */
async function openSite(
  context: CoordinatorContext,
  id: string,
  agreed: Agreement,
  stored: NonNullable<ReturnType<ActiveSet['bySite']['get']>>,
  rows: readonly OpeningsTable[],
): Promise<Statistic | Failure | undefined> {
  const { layout } = agreed;
  const words = wordsOf(layout);
  const values = new Uint32Array(entriesOf(layout) * words);
  const slips: SignedSlip[] = [];
  const whole = await readContributions(context.store, id, agreed, stored, {
    whole(_, body) {
      ringAddInto(values, storedEntries(layout, body), words);
      slips.push(slipIn(agreed, body));
    },
  });
  if (!whole) return undefined;
  const found = await askHelper(context, id, agreed, slips, agreementsIn(rows));
  if ('problem' in found) return found;
  if ('unusable' in found) return undefined;
  for (const { values: mask, contributions } of found.answers) {
    if (contributions > 0) ringAddInto(values, mask, words);
  }
  return { layout, values };
}

/** What is wrong with the numbers of one site, by the rules for a contribution that is not hidden. */
function wrongIn({ aggregation, method }: Agreement, statistic: Statistic): string | undefined {
  const { layout, values } = statistic;
  const most = 2 * (aggregation.mostShare ?? 1);
  return (
    aggregationOf({}).implausible({ values }, layout, 'coordinator') ??
    method.impossible?.(statistic) ??
    (ringShare(layout, values) > most ? 'it is too large for a sum over the sites' : undefined)
  );
}

/** Stores what was found. The contributions of a site that is named are erased, and it cannot send others. */
async function recordFinding(
  context: CoordinatorContext,
  id: string,
  site: string,
  why: string | undefined,
): Promise<void> {
  const finding = why === undefined ? 'cleared' : 'wrong';
  await inStudy(context, id, async (session) => {
    await session.db
      .updateTable('openings')
      .set({ finding, why: why ?? null })
      .where('study', '=', id)
      .where('site', '=', site)
      .execute();
    session.record('site-opened', { site, finding, ...(why === undefined ? {} : { why }) });
    if (why === undefined) return;
    await eraseContributions(session, await storedContributions(session.db, id, site));
    await changeSite(session, site, { state: 'revoked' });
  });
  if (why !== undefined) await context.store.scrub();
}

/**
 * Why the total is still refused. Possible statistics have a possible sum: if every site was opened and cleared, the helper's answer
 * for all of them is not the sum of its answers for each.
 */
export async function stillRefused(
  { store: { db } }: CoordinatorContext,
  id: string,
  { bySite }: ActiveSet,
  refused: Failure,
): Promise<Failure> {
  const rows = await openingRows(db, id);
  const cleared = new Set(
    rows.filter(({ finding }) => finding === 'cleared').map(({ site }) => site),
  );
  if (bySite.size === 0 || ![...bySite.keys()].every((site) => cleared.has(site))) return refused;
  return {
    problem:
      'every site was opened, and the numbers of each are possible: the helper’s answer for all of them is not the sum of its answers for each',
    remedy:
      'make the study again with another helper; the statements that it signed are in the log',
  };
}
