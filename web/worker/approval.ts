import type { Acknowledgement } from '../../src/disclosure/acknowledgement.ts';
import type { Joined, SiteMembership } from '../../src/site/join.ts';
import {
  type Prepared,
  refuseAudit,
  refuseUnacknowledged,
  unacknowledged,
} from '../../src/site/prepare-contribution.ts';
import type { BrowserSiteStore, KeptReceipt } from './browser-site-store.ts';
import { type JoinSession, preparedIn } from './join-session.ts';

/** A contribution that the coordinator has acknowledged. */
export interface SentView extends KeptReceipt {
  /** The coordinator's key in the link; the receipt's signature was checked against it. */
  readonly verifiedBy: string;
}

/** The prepared contribution. Throws if a rule refuses it or something was not acknowledged. */
export function approvedIn(
  session: JoinSession,
  acknowledged: readonly Acknowledgement[],
): Prepared {
  const prepared = preparedIn(session);
  refuseAudit(prepared, 'nothing was sent');
  refuseUnacknowledged(unacknowledged(prepared, acknowledged), prepared.audit, 'nothing was sent');
  return prepared;
}

export async function sentView(
  { agreed, site, coordinatorKey }: SiteMembership,
  store: BrowserSiteStore,
  { receipt }: Joined,
): Promise<SentView> {
  const kept = await store.receipts(agreed.digest, site);
  const own = kept.find((one) => one.receipt.sequence === receipt.sequence);
  return { receipt, text: own?.text ?? '', verifiedBy: coordinatorKey };
}
