import type { SealedErasure, WithdrawSite } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { isSealed, sealDocument } from '../protocol/signature.ts';
import { studyId } from '../protocol/study-part.ts';
import { notAllowed, requireMember } from './access.ts';
import { deleteUnfinished } from './blocks.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { changeSite, knownSite, requireOwnKey } from './invitations.ts';
import { erasePartyMail } from './party-erasure.ts';
import { eraseContributions, storedContributions } from './stored-contributions.ts';
import { inStudy, type StudySession } from './study-session.ts';
import type { SitesTable } from './tables.ts';

/**
 * Erases a site's contributions and returns a signed erasure receipt. A repeated request gets the
 * same receipt, because the first answer may have been lost.
 */
export async function withdraw(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  request: WithdrawSite,
): Promise<SealedErasure> {
  const site = withdrawnSite(caller, id, request);
  const erasure = await inStudy(context, id, async (session) => {
    const known = await knownSite(session, site);
    if ('withdrawal' in request) requireOwnKey(known, request.withdrawal.seal.key);
    await deleteUnfinished(session.db, id, site);
    if (known.state === 'withdrawn' && isRepeated(known, request)) {
      return pastErasure(session, site);
    }
    if ('withdrawal' in request && request.withdrawal.sequence !== known.next_sequence) {
      throw new Refusal(
        'conflict',
        `the withdrawal must have number ${known.next_sequence}`,
        'ask for the study again, and sign with the number it gives',
      );
    }
    return erase(session, known);
  });
  await context.store.scrub();
  return sealDocument({ schema: 'suffice/erasure@1', ...erasure }, context.signing);
}

type Erasure = Omit<SealedErasure, 'schema' | 'seal'>;

/** The site whose contributions the request erases; refuses a caller who may not. */
function withdrawnSite(caller: Caller, id: string, request: WithdrawSite): string {
  requireMember(caller, id);
  if (!('withdrawal' in request)) {
    if (caller.role === 'site') {
      throw new Refusal(
        'not-allowed',
        'a site must sign its withdrawal',
        'send {"withdrawal": …} signed with the site’s key',
      );
    }
    return request.site;
  }
  const { withdrawal } = request;
  if (caller.role !== 'site') throw notAllowed('only the site itself may send a signed withdrawal');
  if (withdrawal.site !== caller.site) {
    throw notAllowed('the withdrawal was made for another site');
  }
  if (withdrawal.study !== id && studyId(withdrawal.study) !== id) {
    throw notAllowed('the withdrawal was made for another study');
  }
  if (!isSealed(withdrawal)) throw notAllowed('the signature of the withdrawal is not valid');
  return caller.site;
}

function isRepeated({ next_sequence }: SitesTable, request: WithdrawSite): boolean {
  return !('withdrawal' in request) || request.withdrawal.sequence === next_sequence - 1;
}

async function erase(session: StudySession, known: SitesTable): Promise<Erasure> {
  const { db, id, at } = session;
  const site = known.name;
  const stored = await storedContributions(db, id, site);
  const erased = stored.flatMap(({ digest }) => digest ?? []);
  const audit = session.record('withdrawn', { site, sequence: known.next_sequence, erased });
  await eraseContributions(session, stored);
  await erasePartyMail(session, site);
  await changeSite(session, site, {
    state: 'withdrawn',
    next_sequence: known.next_sequence + 1,
  });
  const { state } = session.study;
  const wasActive = stored.some(({ late }) => late === 0);
  if (wasActive && (state === 'resolved' || state === 'closed')) {
    session.change({ state: 'closed', due: 1, problem: null });
  } else if (state === 'collecting') {
    if (await hasContributions(session)) await session.closeIfComplete();
    else session.change({ state: 'open' });
  }
  return { study: session.study.digest, site, erased, erasedAt: at, audit };
}

async function hasContributions({ db, id }: StudySession): Promise<boolean> {
  const stored = await db
    .selectFrom('contributions')
    .select('site')
    .where('study', '=', id)
    .where('digest', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return stored !== undefined;
}

/** The site's last withdrawal, from the log. */
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
