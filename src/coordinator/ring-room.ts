import { type Agreement, tooLargeTogether } from '../federate.ts';
import { Refusal } from '../protocol/refusal.ts';
import { type Contribution, storedEntries } from '../statistic/envelope.ts';
import { ringShare } from '../statistic/ring-share.ts';
import { readEntries } from './blocks.ts';
import type { Store } from './store.ts';
import type { StudySession } from './study-session.ts';

/** 2¹⁶ contributions of at most this share of the ring take half of it together. */
const SMALL = 2 ** -17;

/** Shares of stored files by digest, so that a file is read once in the life of a process. */
const known = new WeakMap<Store, Map<string, number>>();
const MOST_KNOWN = 20_000;

/** Refuses a contribution that could make the study's sum overflow: large ones share half of the ring, small ones have the other half. */
export async function refuseOverflow(
  session: StudySession,
  { layout, method: { noise }, aggregation }: Agreement,
  { statistic, site, mode }: Contribution,
): Promise<void> {
  if (aggregation.sees === 'total') return; // masked numbers say nothing; sites keep to `mostShare`
  const own = ringShare(layout, statistic.values);
  // The room that others leave would tell of their exact sums, such as how many rows they have.
  const hidden = noise?.totals !== undefined || aggregation.minimumSites !== undefined;
  if (own <= SMALL && !hidden) return;
  const { db, id, context } = session;
  await session.save();
  const stored = await db
    .selectFrom('contributions')
    .select(['site', 'sequence', 'digest'])
    .where('study', '=', id)
    .where('digest', 'is not', null)
    .execute();
  const others = stored.filter((one) => mode !== 'replace' || one.site !== site);
  if (hidden) {
    refuseShare(own, others.length);
    return;
  }
  const shares = known.get(context.store) ?? new Map<string, number>();
  known.set(context.store, shares);
  let filled = own;
  for (const one of others) {
    const digest = one.digest as string;
    let share = shares.get(digest);
    if (share === undefined) {
      const { body, bytes } = await db
        .selectFrom('contributions')
        .select(['body', 'bytes'])
        .where('study', '=', id)
        .where('site', '=', one.site)
        .where('sequence', '=', one.sequence)
        .executeTakeFirstOrThrow();
      share = 0;
      if (body !== null) share = ringShare(layout, storedEntries(layout, body));
      else {
        await readEntries(db, id, layout, { site: one.site, digest, bytes }, (values) => {
          share = Math.max(share ?? 0, ringShare(layout, values));
        });
      }
      if (shares.size >= MOST_KNOWN) shares.delete(shares.keys().next().value as string);
      shares.set(digest, share);
    }
    filled += share;
  }
  if (filled <= 0.5) return;
  throw new Refusal('unprocessable', tooLargeTogether.problem, tooLargeTogether.remedy);
}

/** The first 16 contributions share an eighth of the ring, the first 256 another one, and so on: even 16⁷ do not fill it. */
function refuseShare(own: number, others: number): void {
  let among = 16;
  while (others >= among) among *= 16;
  const most = 1 / 8 / among;
  if (own <= most) return;
  throw new Refusal(
    'unprocessable',
    `the contribution is too large: each of the first ${among} may have ${most * 2 ** 31 - 1} rows`,
    'send the rows in several contributions, or make a study for fewer sites',
  );
}
