import { type Agreement, tooLargeTogether } from '../federate.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { Contribution } from '../statistic/envelope.ts';
import { bytesOf } from '../statistic/layout.ts';
import { ringShare } from '../statistic/ring-share.ts';
import { wordsFromBytes } from '../statistic/statistic.ts';
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
  { layout }: Agreement,
  { statistic, site, mode }: Contribution,
): Promise<void> {
  const own = ringShare(layout, statistic.values);
  if (own <= SMALL) return;
  const { db, id, context } = session;
  const shares = known.get(context.store) ?? new Map<string, number>();
  known.set(context.store, shares);
  const stored = await db
    .selectFrom('contributions')
    .select(['site', 'sequence', 'digest'])
    .where('study', '=', id)
    .where('digest', 'is not', null)
    .execute();
  let filled = own;
  for (const one of stored) {
    if (mode === 'replace' && one.site === site) continue;
    const digest = one.digest as string;
    let share = shares.get(digest);
    if (share === undefined) {
      const { body } = await db
        .selectFrom('contributions')
        .select('body')
        .where('study', '=', id)
        .where('site', '=', one.site)
        .where('sequence', '=', one.sequence)
        .executeTakeFirstOrThrow();
      if (body === null) continue;
      share = ringShare(layout, wordsFromBytes(body.subarray(body.length - bytesOf(layout))));
      if (shares.size >= MOST_KNOWN) shares.delete(shares.keys().next().value as string);
      shares.set(digest, share);
    }
    filled += share;
  }
  if (filled <= 0.5) return;
  throw new Refusal('unprocessable', tooLargeTogether.problem, tooLargeTogether.remedy);
}
