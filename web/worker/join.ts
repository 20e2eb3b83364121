import { defined } from '../../src/defined.ts';
import type { Acknowledgement } from '../../src/disclosure/acknowledgement.ts';
import type { SiteRules } from '../../src/disclosure/site-rules.ts';
import { type StudyClient, studyClient } from '../../src/protocol/client.ts';
import { isOpenLink } from '../../src/protocol/enrolment.ts';
import { followRounds } from '../../src/protocol/follow-rounds.ts';
import type { Link } from '../../src/protocol/link.ts';
import type { SealedErasure, Withdrawal } from '../../src/protocol/messages.ts';
import { Refusal } from '../../src/protocol/refusal.ts';
import { sealDocument } from '../../src/protocol/signature.ts';
import { studyFiles } from '../../src/rows/load-pinned.ts';
import type { Wording } from '../../src/rows/wording.ts';
import { ownLink } from '../../src/site/enrol.ts';
import {
  explainedReading,
  explainFile,
  type FileExplanation,
} from '../../src/site/file-explanation.ts';
import {
  membershipIn,
  prepareJoin,
  resumePending,
  sendPrepared,
  settleEarlier,
} from '../../src/site/join.ts';
import { refuseLostReceipts } from '../../src/site/lost-receipts.ts';
import { askedOpening, sendOpening } from '../../src/site/send-opening.ts';
import { refuseDoubtfulLedger } from '../../src/site/site-store.ts';
import { type Chosen, rowsIn } from '../tab/chosen-files.ts';
import type { StudyLink } from '../tab/page-address.ts';
import { approvedIn, type SentView, sentView } from './approval.ts';
import { type BrowserSiteStore, openBrowserSiteStore } from './browser-site-store.ts';
import { contactSheet } from './contact-sheet.ts';
import {
  beginSession,
  preparedIn,
  presentSession,
  siteStoreOf,
  type UploadView,
  watchingUpload,
} from './join-session.ts';
import { type Landing, landingView } from './landing.ts';
import { type SiteLedgerView, siteLedgerView } from './ledger-view.ts';
import { statisticCsv } from './outgoing.ts';
import { progressWatch, type TrainingView, type WorkProgress } from './progress.ts';
import { readingWithPool } from './reading-pool.ts';
import { type PartyReadingView, type ReadingView, readingView } from './reading-view.ts';
import { tabMasks } from './tab-masks.ts';
import { tabParty } from './tab-party.ts';
import type { Call } from './worker-messages.ts';
import { shareFiles, warm } from './worker-pool.ts';

/** Options for reading a file. */
export interface ReadingOptions {
  readonly encoding?: string;
  readonly decimal?: '.' | ',';
  readonly missing: 'drop' | 'refuse';
  /** Words of this file that differ from the study's. */
  readonly wording?: Wording;
  readonly profile?: 'default' | 'datashield' | 'agency';
  readonly comparisons?: NonNullable<SiteRules['comparisons']>;
  /** Whether a further file adds to what the site sent before, or replaces it. */
  readonly again?: 'add' | 'replace';
}

/** Fetches the newest round of the study, checks it against the link, and opens the store of this browser. */
export async function openLink(_call: Call, link: StudyLink): Promise<Landing> {
  const store = await openStore();
  // No retries: a person sees each failure and decides when to try again. No compression: the bytes shown are the bytes sent.
  const options = {
    ...{ retryFor: 0, uploads: 'as-they-are' as const },
    onUpload: (arrivedBytes: number, bytes: number) =>
      presentSession().uploading?.({ arrivedBytes, bytes }),
  };
  const full = await deviceLink({ ...link, purpose: 'join' as const }, store, options);
  const client = studyClient(full, options);
  const rounds = await followRounds(full, options, client).catch(refuseUnknownLink);
  const earlier = rounds.slice(0, -1);
  const newest = rounds[rounds.length - 1];
  const membership = membershipIn(newest);
  if (!('problem' in store)) await settleEarlier(earlier, store, () => {});
  beginSession({ client: newest.client, link: newest.link, membership, earlier, store });
  return landingView(membership, store);
}

/** The link of this browser alone, if the link is one for all devices. */
async function deviceLink(
  link: Link,
  store: Awaited<ReturnType<typeof openStore>>,
  options: Parameters<typeof ownLink>[2],
): Promise<Link> {
  if (!isOpenLink(link)) return link;
  if ('problem' in store) throw new Refusal('not-allowed', store.problem, store.remedy);
  return ownLink(link, store, options);
}

/** The public key of this browser, for the roster of a study. Makes no request. */
export async function ownKey(_call: Call): Promise<string> {
  const store = await openBrowserSiteStore();
  return (await store.key()).key;
}

/** Loads and starts everything that reading needs, so that reading and sealing make no request. */
export async function warmReading(_call: Call): Promise<void> {
  const { study, aggregation } = presentSession().membership.agreed;
  await aggregation.load?.();
  await tabMasks(presentSession());
  await tabParty(presentSession());
  await shareFiles(studyFiles(study));
  await warm();
}

/** Prepares a contribution from a file and everything shown for approval. Sends nothing. */
export async function readSiteFile(
  call: Call<WorkProgress>,
  file: Chosen,
  { profile, comparisons, ...options }: ReadingOptions,
): Promise<ReadingView | PartyReadingView> {
  const session = presentSession();
  session.prepared = undefined;
  const store = siteStoreOf(session);
  await refuseDoubtfulLedger(store);
  // Without a profile, the limits are those of the study's.
  const disclosure =
    profile === undefined && comparisons === undefined
      ? {}
      : { disclosure: defined({ profile, comparisons }) };
  const party = await tabParty(session);
  if (party !== undefined) {
    const { encoding, decimal, missing } = options;
    const request = { rows: rowsIn(file), missing, histograms: true, ...disclosure };
    return readingWithPool(call, (pool) =>
      party.read({ ...request, ...defined({ encoding, decimal }) }, pool, call),
    );
  }
  let training: TrainingView | undefined;
  const update = (progress: WorkProgress) => {
    training = progress.training ?? training;
    call.update(progress);
  };
  const waiting = (phase: string) =>
    update({ phase, bytes: 0, totalBytes: 0, rows: 0, seconds: 0, waits: true });
  const masks = await tabMasks(session, waiting, call.signal);
  return readingWithPool(call, async (pool) => {
    const what = await prepareJoin(
      {
        ...options,
        ...defined({ mask: masks?.agree }),
        rows: rowsIn(file),
        histograms: true,
        ...disclosure,
      },
      session.membership,
      store,
      pool,
      progressWatch({ update }),
    );
    const { agreed } = session.membership;
    const sheet = await contactSheet(agreed.study, rowsIn(file), options, what.description);
    call.signal.throwIfAborted();
    session.prepared = what;
    return readingView(agreed, file.name, what, defined({ sheet, training }));
  });
}

/** The cells of a refused file that do not fit these columns of the study. Sends and keeps nothing. */
export async function explainSiteFile(
  call: Call<WorkProgress>,
  file: Chosen,
  options: ReadingOptions,
  refused: readonly string[],
): Promise<FileExplanation | undefined> {
  const { agreed } = presentSession().membership;
  const reading = { ...explainedReading(agreed, options), refused };
  const rows = rowsIn(file);
  return readingWithPool(call, (pool) => explainFile(reading, rows, pool, progressWatch(call)));
}

/** Sends the approved contribution: one request, or blocks of a large one. */
export async function sendContribution(
  call: Call<UploadView>,
  acknowledged: readonly Acknowledgement[],
): Promise<SentView> {
  const session = presentSession();
  const store = siteStoreOf(session);
  const what = approvedIn(session, acknowledged);
  await refuseDoubtfulLedger(store);
  session.prepared = undefined;
  const { client, membership } = session;
  // A site that says that it adds or replaces rows knows that it has contributed before.
  if (membership.nextSequence === 1) {
    await refuseLostReceipts(client, membership, store, undefined, () => {});
  }
  const masks = await tabMasks(session);
  const sent = await watchingUpload(session, call.update, () =>
    sendPrepared(client, membership, what, store, () => {}, masks?.use),
  );
  return sentView(membership, store, sent);
}

/** After the contribution, in a study whose sites agree on masks: waits for the others, and helps to open the sum. */
export async function helpToOpenSum(call: Call<string>): Promise<void> {
  const masks = await tabMasks(presentSession(), call.update, call.signal);
  await masks?.help();
}

/** Gives the approved contribution as a file instead. The ledger records it first. */
export async function saveContribution(
  _call: Call,
  acknowledged: readonly Acknowledgement[],
  name: string,
): Promise<Uint8Array> {
  const session = presentSession();
  const store = siteStoreOf(session);
  const what = approvedIn(session, acknowledged);
  await refuseDoubtfulLedger(store);
  const { release, tags, reviewed, file } = what;
  const line = { at: new Date().toISOString(), to: name, outcome: 'written' as const };
  await store.record({ ...line, ...release }, tags, reviewed, what);
  session.prepared = undefined;
  return file;
}

/** All numbers of the prepared contribution, as CSV. */
export async function outgoingNumbers(_call: Call): Promise<string> {
  const session = presentSession();
  return statisticCsv(session.membership.agreed, preparedIn(session));
}

/** Sends an approved contribution without a receipt again. If it is out of date, discards it and returns undefined. */
export async function sendAgain(call: Call<UploadView>): Promise<SentView | undefined> {
  const { client, membership, store } = await waitingSession();
  const { source } = (await store.pending(membership.agreed.digest, membership.site))!;
  // It may have been sent, so its mask is used.
  await (await tabMasks(presentSession()))?.use();
  const joined = await watchingUpload(presentSession(), call.update, () =>
    resumePending(client, membership, store, { source }),
  );
  return joined && sentView(membership, store, joined);
}

/** Whether an approved contribution has no receipt yet; makes no request. */
export async function isWaiting(_call: Call): Promise<boolean> {
  const session = presentSession();
  const { agreed, site } = session.membership;
  return (await siteStoreOf(session).pending(agreed.digest, site)) !== undefined;
}

/** Discards an approved contribution without a receipt. If the coordinator already has it, the receipt is kept. */
export async function discardWaiting(_call: Call): Promise<void> {
  const { client, membership, store } = await waitingSession();
  // An empty path matches no file, so nothing is sent.
  await resumePending(client, membership, store, { source: { path: '' } });
}

/** Forgets an interrupted training. */
export async function forgetTraining(_call: Call): Promise<void> {
  const session = presentSession();
  const { agreed, site } = session.membership;
  await siteStoreOf(session).keepTraining?.(agreed.digest, site);
}

/** Asks the coordinator to erase everything the site has sent, in all rounds; gives the erasure of the newest. */
export async function withdrawFromStudy(_call: Call): Promise<SealedErasure> {
  const session = presentSession();
  const store = siteStoreOf(session);
  const erasure = await withdrawFromRound(session.client, store);
  for (const { client, view } of session.earlier.toReversed()) {
    const own = view.sites.find(({ name }) => name === view.you?.site);
    if (own?.state !== 'withdrawn') await withdrawFromRound(client, store);
  }
  return erasure;
}

/** The request is signed with the key of this browser. */
async function withdrawFromRound(
  client: StudyClient,
  store: BrowserSiteStore,
): Promise<SealedErasure> {
  const { digest, you } = await client.view();
  const { site, nextSequence: sequence } = you!;
  const withdrawal: Withdrawal = { schema: 'suffice/withdrawal@1', study: digest, site, sequence };
  const erasure = await client.withdraw({
    withdrawal: sealDocument(withdrawal, await store.key()),
  });
  await store.discard(digest, site);
  await store.keepTraining?.(digest, site);
  await store.keepErasure(erasure);
  return erasure;
}

/** Agrees that the coordinator sees what this site has sent. The word is signed with the key of this browser. */
export async function agreeToBeOpened(_call: Call): Promise<void> {
  const session = presentSession();
  const store = siteStoreOf(session);
  const opening = await askedOpening(await session.client.view(), store);
  await sendOpening(session.client, store, opening);
}

/** Everything this browser has sent, in all studies. */
export async function loadLedger(_call: Call): Promise<SiteLedgerView> {
  return siteLedgerView(siteStoreOf(presentSession()));
}

/** The coordinator's message is about tokens; a site only knows its link. */
function refuseUnknownLink(error: unknown): never {
  const unknown =
    error instanceof Refusal && (error.code === 'not-allowed' || error.code === 'not-found');
  if (!unknown) throw error;
  throw new Refusal(
    error.code,
    'this link does not open a study that you are invited to: the link was changed, or the study no longer exists',
    'copy the whole link again, or ask the person who sent it for a new one',
  );
}

async function openStore(): Promise<BrowserSiteStore | { problem: string; remedy: string }> {
  try {
    return await openBrowserSiteStore();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { problem: error.message, remedy: error.remedy };
  }
}

async function waitingSession() {
  const session = presentSession();
  const store = siteStoreOf(session);
  await refuseDoubtfulLedger(store);
  const { agreed, site } = session.membership;
  if ((await store.pending(agreed.digest, site)) !== undefined) return { ...session, store };
  throw new Refusal('conflict', 'nothing waits to be sent', 'reload the page');
}
