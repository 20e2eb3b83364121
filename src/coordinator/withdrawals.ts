import { studyId } from '../protocol/link.ts';
import type { SealedErasure, WithdrawSite } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { isSealed, sealDocument } from '../protocol/signature.ts';
import { notAllowed, requirePart } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { Desk } from './desk.ts';
import { eraseParts, heldParts } from './held-parts.ts';
import { changeSite, knownSite, requireOwnKey } from './invitations.ts';
import { inStudy, type StudySession } from './study-session.ts';
import type { SitesTable } from './tables.ts';

/**
 * Erases a site's contributions and says so under the coordinator's seal. Asked again, it gives
 * the same receipt: an erasure whose answer was lost is not an error.
 */
export async function withdraw(
  desk: Desk,
  caller: Caller,
  id: string,
  request: WithdrawSite,
): Promise<SealedErasure> {
  const site = leavingSite(caller, id, request);
  const erasure = await inStudy(desk, id, async (session) => {
    const known = await knownSite(session, site);
    if ('withdrawal' in request) requireOwnKey(known, request.withdrawal.seal.key);
    if (known.state === 'withdrawn' && isRepeated(known, request)) {
      return pastErasure(session, site);
    }
    if ('withdrawal' in request && request.withdrawal.sequence !== known.next_sequence) {
      throw new Refusal(
        'conflict',
        `a withdrawal now must carry number ${known.next_sequence}`,
        'ask for the study again, and sign with the number it gives',
      );
    }
    return erase(session, known);
  });
  await desk.store.scrub();
  return sealDocument({ schema: 'suffice/erasure@1', ...erasure }, desk.signing);
}

type Erasure = Omit<SealedErasure, 'schema' | 'seal'>;

/** Whose contributions the caller may have erased by this request. */
function leavingSite(caller: Caller, id: string, request: WithdrawSite): string {
  requirePart(caller, id);
  if (!('withdrawal' in request)) {
    if (caller.role === 'site') {
      throw new Refusal(
        'not-allowed',
        'a site leaves with a withdrawal it has signed',
        'send {"withdrawal": …} signed with the site’s key',
      );
    }
    return request.site;
  }
  const { withdrawal } = request;
  if (caller.role !== 'site') throw notAllowed('a signed withdrawal is sent by the site itself');
  if (withdrawal.site !== caller.site) {
    throw notAllowed('it is made for another site');
  }
  if (withdrawal.study !== id && studyId(withdrawal.study) !== id) {
    throw notAllowed('it is made for another study');
  }
  if (!isSealed(withdrawal)) throw notAllowed('the signature does not fit');
  return caller.site;
}

function isRepeated({ next_sequence }: SitesTable, request: WithdrawSite): boolean {
  return !('withdrawal' in request) || request.withdrawal.sequence === next_sequence - 1;
}

async function erase(session: StudySession, known: SitesTable): Promise<Erasure> {
  const { db, id, at } = session;
  const site = known.name;
  const parts = await heldParts(db, id, site);
  const erased = parts.flatMap(({ digest }) => digest ?? []);
  const audit = session.record('withdrawn', { site, sequence: known.next_sequence, erased });
  await eraseParts(session, parts);
  await changeSite(session, site, {
    state: 'withdrawn',
    next_sequence: known.next_sequence + 1,
  });
  const { state } = session.study;
  const counted = parts.some(({ late }) => late === 0);
  if (counted && (state === 'resolved' || state === 'closed')) {
    session.change({ state: 'closed', due: 1, problem: null });
  } else if (state === 'collecting') {
    if (await anybodyLeft(session)) await session.closeIfComplete();
    else session.change({ state: 'open' });
  }
  return { study: session.study.digest, site, erased, erasedAt: at, audit };
}

async function anybodyLeft({ db, id }: StudySession): Promise<boolean> {
  const held = await db
    .selectFrom('contributions')
    .select('site')
    .where('study', '=', id)
    .where('digest', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return held !== undefined;
}

/** What the log says of a site's last withdrawal. */
async function pastErasure({ db, id, study }: StudySession, site: string): Promise<Erasure> {
  const rows = await db
    .selectFrom('audit')
    .select(['position', 'at', 'detail', 'digest'])
    .where('study', '=', id)
    .where('event', '=', 'withdrawn')
    .orderBy('position', 'desc')
    .execute();
  for (const { position, at, detail, digest } of rows) {
    const { site: name, erased } = JSON.parse(detail);
    if (name === site) {
      return { study: study.digest, site, erased, erasedAt: at, audit: { position, digest } };
    }
  }
  throw new Error(`the log of ${id} has no withdrawal of a site that is withdrawn`);
}
