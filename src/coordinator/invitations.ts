import type { InvitationSecret, InviteSite } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { accessRow, newToken, requireRunner, revokeTokens } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { futureTime } from './life.ts';
import { refuseHiddenName, requireSiteName } from './site-name.ts';
import { siteRow } from './study-records.ts';
import { inStudy, type StudySession } from './study-session.ts';
import type { SitesTable } from './tables.ts';

/** Invites a site, new or known, with a new secret; its earlier secrets stop working. */
export async function inviteSite(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  { site, ...options }: InviteSite,
): Promise<InvitationSecret> {
  requireRunner(caller, id);
  requireSiteName(site, await context.agreed(id));
  const forgetKey = options.forgetKey === true;
  return inStudy(context, id, async (session) => {
    const { db, at } = session;
    const expires = options.expires === undefined ? null : futureTime(options.expires, at);
    const known = await siteInStudy(session, site);
    if (known === undefined) {
      refuseHiddenName(site);
      await db.insertInto('sites').values(siteRow(id, site)).execute();
    } else {
      await changeSite(session, site, {
        state: known.state === 'contributed' ? 'contributed' : 'invited',
        ...(forgetKey ? { key: null } : {}),
      });
      await revokeTokens(db, id, site, at);
    }
    const token = newToken('site');
    await db
      .insertInto('access')
      .values(accessRow(token, { role: 'site', study: id, site }, at, expires))
      .execute();
    session.record('invited', { site, ...(forgetKey ? { forgetKey } : {}) });
    return { site, token };
  });
}

/** Revokes a site's invitation; its contributions stay until they are withdrawn. */
export async function revokeSite(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  site: string,
): Promise<void> {
  requireRunner(caller, id);
  await inStudy(context, id, async (session) => {
    const known = await knownSite(session, site);
    await revokeTokens(session.db, id, site, session.at);
    if (known.state === 'revoked') return;
    if (known.state === 'invited' || known.state === 'ready') {
      await changeSite(session, site, { state: 'revoked' });
    }
    session.record('revoked', { site });
    await session.closeIfComplete();
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
  throw new Refusal('not-found', 'the study has no such site', 'invite the site first');
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
  change: Partial<Pick<SitesTable, 'state' | 'key' | 'next_sequence'>>,
): Promise<void> {
  await session.db
    .updateTable('sites')
    .set(change)
    .where('study', '=', session.id)
    .where('name', '=', site)
    .execute();
}
