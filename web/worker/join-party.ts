import type { Acknowledgement } from '../../src/disclosure/acknowledgement.ts';
import { refuseLostReceipts } from '../../src/site/lost-receipts.ts';
import { refuseDoubtfulLedger } from '../../src/site/site-store.ts';
import { type SentView, sentView } from './approval.ts';
import type { ExchangeView } from './exchange-view.ts';
import { presentSession, siteStoreOf } from './join-session.ts';
import { readingWithPool } from './reading-pool.ts';
import { tabParty } from './tab-party.ts';
import type { Call } from './worker-messages.ts';

/** Takes part in the exchange between parties with the approved file; waits for the others, and sends the party's share at the end. */
export async function takePartInStudy(
  call: Call<ExchangeView>,
  acknowledged: readonly Acknowledgement[],
): Promise<SentView> {
  const session = presentSession();
  const { client, membership } = session;
  const store = siteStoreOf(session);
  await refuseDoubtfulLedger(store);
  await refuseLostReceipts(client, membership, store, undefined, () => {});
  const party = (await tabParty(session))!;
  const sent = await readingWithPool(call, (pool) => party.takePart(acknowledged, pool, call));
  session.party = undefined;
  return sentView(membership, store, sent);
}

/** Answers the question about the linked rows: whether masked columns may leave. */
export async function answerLinked(_call: Call, approved: boolean): Promise<void> {
  presentSession().answer?.(approved);
}
