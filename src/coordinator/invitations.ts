import type { Agreement } from '../federate.ts';
import type { InvitationSecret, InviteSite } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { accessRow, newToken, requireRunner, revokeTokens } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { futureTime } from './life.ts';
import { refuseHiddenName, requireSiteName } from './site-name.ts';
import { siteRow } from './study-records.ts';
import { inRounds, roundIds, type StudySession } from './study-session.ts';
import type { SitesTable } from './tables.ts';

/** Invites a site, new or known, to this round and later ones, with a new secret; its earlier secrets stop working. */
export async function inviteSite(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  { site, ...options }: InviteSite,
): Promise<InvitationSecret> {
  requireRunner(caller, id);
  const agreed = await context.agreed(id);
  requireSiteName(site, agreed);
  const forgetKey = options.forgetKey === true;
  refuseStranger(agreed, site, forgetKey);
  return inRounds(context, id, 'from this round', async (sessions) => {
    const [{ db, first, at }] = sessions;
    const expires = options.expires === undefined ? null : futureTime(options.expires, at);
    await revokeTokens(sessions[0], site);
    const token = newToken('site');
    await db
      .insertInto('access')
      .values(accessRow(token, { role: 'site', study: first, site }, at, expires))
      .execute();
    if (forgetKey) await setKey(sessions[0], site, null);
    for (const session of sessions) {
      await putInRound(session, site);
      session.record('invited', { site, ...(forgetKey ? { forgetKey } : {}) });
    }
    return { site, token };
  });
}

/** Refuses a site or a key that is not on the roster of the study. */
function refuseStranger({ aggregation }: Agreement, site: string, forgetKey: boolean): void {
  const { roster } = aggregation;
  if (roster === undefined) return;
  if (Object.hasOwn(roster, site) && !forgetKey) return;
  throw new Refusal(
    'conflict',
    'the roster of the study fixes its sites and their keys',
    'make a new study with another roster',
  );
}

/** Makes a site a member of a round, with the key that it has in the other rounds. */
async function putInRound(session: StudySession, site: string): Promise<void> {
  const known = await siteInStudy(session, site);
  if (known === undefined) {
    refuseHiddenName(site);
    const key = await keyInRounds(session, site);
    await session.db
      .insertInto('sites')
      .values(siteRow(session.id, site, key))
      .execute();
    return;
  }
  await changeSite(session, site, {
    state: known.state === 'contributed' ? 'contributed' : 'invited',
  });
}

/** Revokes a site's invitation to all rounds; its contributions stay until they are withdrawn. */
export async function revokeSite(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  site: string,
): Promise<void> {
  requireRunner(caller, id);
  await inRounds(context, id, 'all rounds', async (sessions) => {
    const known = await Promise.all(sessions.map((session) => siteInStudy(session, site)));
    if (known.every((one) => one === undefined)) throw unknownSite();
    await revokeTokens(sessions[0], site);
    for (const [k, session] of sessions.entries()) {
      const state = known[k]?.state;
      if (state === undefined || state === 'revoked') continue;
      if (state === 'invited' || state === 'ready') {
        await changeSite(session, site, { state: 'revoked' });
      }
      session.record('revoked', { site });
      await session.closeIfComplete();
    }
  });
}

export function siteInStudy(session: StudySession, site: string): Promise<SitesTable | undefined> {
  return session.db
    .selectFrom('sites')
    .selectAll()
    .where('study', '=', session.id)
    .where('name', '=', site)
    .executeTakeFirst();
}

export async function knownSite(session: StudySession, site: string): Promise<SitesTable> {
  const known = await siteInStudy(session, site);
  if (known !== undefined) return known;
  throw unknownSite();
}

/** The same, where writes share a transaction. */
export async function siteOf(session: StudySession, site: string): Promise<SitesTable> {
  const known = await session.sites.read(site);
  if (known !== undefined) return known;
  throw unknownSite();
}

function unknownSite(): Refusal {
  return new Refusal('not-found', 'the study has no such site', 'invite the site first');
}

/** Sets the key of a site in every round. */
export async function setKey(
  { db, first }: StudySession,
  site: string,
  key: string | null,
): Promise<void> {
  await db
    .updateTable('sites')
    .set({ key })
    .where('name', '=', site)
    .where('study', 'in', roundIds(db, first))
    .execute();
}

/** The key of a site in any round; null before its first signature. */
async function keyInRounds({ db, first }: StudySession, site: string): Promise<string | null> {
  const row = await db
    .selectFrom('sites')
    .select('key')
    .where('name', '=', site)
    .where('study', 'in', roundIds(db, first))
    .where('key', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row?.key ?? null;
}

/** Refuses a signature with another key than the site's first one; without a first key, any is accepted. */
export function requireOwnKey({ key }: SitesTable, signedWith: string): void {
  if (key === null || signedWith === key) return;
  throw new Refusal(
    'not-allowed',
    'this is signed with another key than the first one of the site',
    'use the folder with the first key, or ask for a new invitation that forgets it',
  );
}

export async function changeSite(
  session: StudySession,
  site: string,
  change: Partial<Pick<SitesTable, 'state' | 'next_sequence'>>,
): Promise<void> {
  await session.db
    .updateTable('sites')
    .set(change)
    .where('study', '=', session.id)
    .where('name', '=', site)
    .execute();
}
