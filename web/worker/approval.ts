import type { RuleId } from '../../src/disclosure/rule.ts';
import { AuditRefusal } from '../../src/site/audit-refusal.ts';
import type { Joined, SiteMembership } from '../../src/site/join.ts';
import { type Prepared, refuseAudit, unacknowledged } from '../../src/site/prepare-contribution.ts';
import type { BrowserSiteStore, KeptReceipt } from './browser-site-store.ts';
import { type JoinSession, preparedIn } from './join-session.ts';

/** A contribution that the coordinator has acknowledged. */
export interface SentView extends KeptReceipt {
  /** The coordinator's key in the link; the receipt's signature was checked against it. */
  readonly verifiedBy: string;
}

/** The prepared contribution. Throws if a rule refuses it or a warning was not acknowledged. */
export function approvedIn(session: JoinSession, acknowledged: readonly RuleId[]): Prepared {
  const prepared = preparedIn(session);
  refuseAudit(prepared, 'nothing was sent');
  const { audit } = prepared;
  const rules = unacknowledged(prepared, acknowledged);
  if (audit === undefined || rules.length === 0) return prepared;
  throw new AuditRefusal(
    audit,
    rules,
    `the audit warns: ${rules.join(', ')}, and not every warning was acknowledged; nothing was sent`,
    'read the warnings and acknowledge each of them',
  );
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
