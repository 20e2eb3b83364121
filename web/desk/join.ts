import type { RuleId } from '../../src/disclosure/rule.ts';
import { studyClient } from '../../src/protocol/client.ts';
import type { SealedErasure, Withdrawal } from '../../src/protocol/messages.ts';
import { Refusal } from '../../src/protocol/refusal.ts';
import { sealDocument } from '../../src/protocol/signature.ts';
import { refuseDoubtfulLedger } from '../../src/site/home.ts';
import { prepareJoin, resumePending, sendPrepared, standingAt } from '../../src/site/join.ts';
import type { StudyLink } from '../app/here.ts';
import { approvedIn, type Sent, toldSent } from './approval.ts';
import { type Arrival, toldArrival } from './arrival.ts';
import { type BrowserHome, openBrowserHome } from './browser-home.ts';
import type { Call } from './conversation.ts';
import { beginSession, homeOf, preparedIn, presentSession } from './join-session.ts';
import { statisticCsv } from './leaving.ts';
import { type LedgerTold, toldLedger } from './ledger-told.ts';
import { type Progress, progressWatch } from './progress.ts';
import { type ReadingTold, toldReading } from './reading-told.ts';
import { warm, workerPool } from './worker-pool.ts';

/** How a person wants a file read. */
export interface ReadingWishes {
  readonly encoding?: string;
  readonly decimal?: '.' | ',';
  readonly missing: 'drop' | 'refuse';
  readonly profile?: 'default' | 'datashield' | 'agency';
  /** What a further file of the site is. */
  readonly again?: 'add' | 'replace';
}

/** One request for the study, checked against the link; and what this browser knows. */
export async function arrive(_call: Call, link: StudyLink): Promise<Arrival> {
  const full = { ...link, purpose: 'join' as const };
  // One request each: whoever waits sees that it failed, and says when to try again. What is shown is what is sent.
  const client = studyClient(full, { retryFor: 0, uploads: 'as-they-are' });
  const standing = await standingAt(client, full).catch(refuseStranger);
  const home = await openHome();
  beginSession({ client, standing, home });
  return toldArrival(standing, home);
}

/** Loads and starts all that reading needs, so that it makes no request. */
export function warmReading(_call: Call): Promise<void> {
  return warm();
}

/** Reads a file to its end and says what it found and what would leave; makes no request. */
export async function readSiteFile(
  call: Call<Progress>,
  file: File,
  { profile, ...wishes }: ReadingWishes,
): Promise<ReadingTold> {
  const session = presentSession();
  session.prepared = undefined;
  const home = homeOf(session);
  await refuseDoubtfulLedger(home);
  const pool = workerPool();
  const stop = () => void pool.close();
  call.signal.addEventListener('abort', stop);
  try {
    call.signal.throwIfAborted();
    const what = await prepareJoin(
      {
        ...wishes,
        rows: { path: file.name, blob: file },
        histograms: true,
        ...(profile === undefined ? {} : { disclosure: { profile } }),
      },
      session.standing,
      home,
      pool,
      progressWatch(call),
    );
    call.signal.throwIfAborted();
    session.prepared = what;
    return toldReading(session.standing.agreed, file.name, what);
  } finally {
    call.signal.removeEventListener('abort', stop);
    await pool.close();
    // Threads that were stopped are replaced before another file can be chosen: while it is read nothing is asked for.
    await warm().catch(() => {});
  }
}

/** Sends what was shown, once it is approved: one request. */
export async function sendContribution(
  _call: Call,
  acknowledged: readonly RuleId[],
): Promise<Sent> {
  const session = presentSession();
  const home = homeOf(session);
  const what = approvedIn(session, acknowledged);
  await refuseDoubtfulLedger(home);
  session.prepared = undefined;
  const { client, standing } = session;
  return toldSent(standing, home, await sendPrepared(client, standing, what, home));
}

/** Gives what was shown as a file instead, once it is approved; the ledger has it before. */
export async function saveContribution(
  _call: Call,
  acknowledged: readonly RuleId[],
  name: string,
): Promise<Uint8Array> {
  const session = presentSession();
  const home = homeOf(session);
  const what = approvedIn(session, acknowledged);
  await refuseDoubtfulLedger(home);
  const { release, tags, reviewed, file } = what;
  const line = { at: new Date().toISOString(), to: name, outcome: 'written' as const };
  await home.record({ ...line, ...release }, tags, reviewed);
  session.prepared = undefined;
  return file;
}

/** All numbers of what would leave, as CSV. */
export async function leavingNumbers(_call: Call): Promise<string> {
  const session = presentSession();
  return statisticCsv(session.standing.agreed, preparedIn(session).file);
}

/** Sends once more what was approved and has no receipt; undefined where it is out of date, and then discarded. */
export async function sendAgain(_call: Call): Promise<Sent | undefined> {
  const { client, standing, home } = await waitingSession();
  const { source } = (await home.pending(standing.agreed.digest, standing.site))!;
  const joined = await resumePending(client, standing, home, { source });
  return joined && toldSent(standing, home, joined);
}

/** Whether something that was approved here waits for its receipt; makes no request. */
export async function isWaiting(_call: Call): Promise<boolean> {
  const session = presentSession();
  const { agreed, site } = session.standing;
  return (await homeOf(session).pending(agreed.digest, site)) !== undefined;
}

/** Gives up what was approved and has no receipt; where the coordinator has it after all, its receipt is kept. */
export async function discardWaiting(_call: Call): Promise<void> {
  const { client, standing, home } = await waitingSession();
  // Of no file that is there any more: so it is not sent.
  await resumePending(client, standing, home, { source: { path: '' } });
}

/** Has all that the site has sent erased, signed with the key of this browser. */
export async function leaveStudy(_call: Call): Promise<SealedErasure> {
  const session = presentSession();
  const home = homeOf(session);
  const { client } = session;
  const { digest, you } = await client.view();
  const { site, nextSequence: sequence } = you!;
  const withdrawal: Withdrawal = { schema: 'suffice/withdrawal@1', study: digest, site, sequence };
  const erasure = await client.withdraw({
    withdrawal: sealDocument(withdrawal, await home.key()),
  });
  await home.discard(digest, site);
  await home.keepErasure(erasure);
  return erasure;
}

/** What has left from this browser, whatever the study. */
export async function ledgerHere(_call: Call): Promise<LedgerTold> {
  return toldLedger(homeOf(presentSession()));
}

/** The coordinator speaks of tokens; whoever has only a link needs to hear of the link. */
function refuseStranger(failure: unknown): never {
  const strange =
    failure instanceof Refusal && (failure.code === 'not-allowed' || failure.code === 'not-found');
  if (!strange) throw failure;
  throw new Refusal(
    failure.code,
    'this link leads to no study that you are invited to: it was changed on its way, or the study is gone',
    'copy all of it once more, or ask whoever sent it to you for a new one',
  );
}

async function openHome(): Promise<BrowserHome | { problem: string; remedy: string }> {
  try {
    return await openBrowserHome();
  } catch (failure) {
    if (!(failure instanceof Refusal)) throw failure;
    return { problem: failure.message, remedy: failure.remedy };
  }
}

async function waitingSession() {
  const session = presentSession();
  const home = homeOf(session);
  await refuseDoubtfulLedger(home);
  const { agreed, site } = session.standing;
  if ((await home.pending(agreed.digest, site)) !== undefined) return { ...session, home };
  throw new Refusal('conflict', 'nothing waits to be sent', 'reload the page');
}
