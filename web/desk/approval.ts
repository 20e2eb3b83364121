import type { RuleId } from '../../src/disclosure/rule.ts';
import { AuditRefusal } from '../../src/site/audit-refusal.ts';
import type { Joined, Standing } from '../../src/site/join.ts';
import { type Prepared, refuseAudit, unacknowledged } from '../../src/site/prepare-contribution.ts';
import type { BrowserHome, KeptReceipt } from './browser-home.ts';
import { type JoinSession, preparedIn } from './join-session.ts';

/** A contribution that the coordinator has acknowledged. */
export interface Sent extends KeptReceipt {
  /** What the coordinator has signed was checked against the key in the link. */
  readonly verifiedBy: string;
}

/** What was shown, if the audit lets it leave and every warning was acknowledged. */
export function approvedIn(session: JoinSession, acknowledged: readonly RuleId[]): Prepared {
  const prepared = preparedIn(session);
  refuseAudit(prepared, 'nothing was sent');
  const { audit } = prepared;
  const rules = unacknowledged(prepared, acknowledged);
  if (audit === undefined || rules.length === 0) return prepared;
  throw new AuditRefusal(
    audit,
    rules,
    `the audit warns of ${rules.join(', ')}, and nobody has acknowledged it; nothing was sent`,
    'read the warnings, and acknowledge each',
  );
}

export async function toldSent(
  { agreed, site, coordinatorKey }: Standing,
  home: BrowserHome,
  { receipt }: Joined,
): Promise<Sent> {
  const kept = await home.receipts(agreed.digest, site);
  const own = kept.find((one) => one.receipt.sequence === receipt.sequence);
  return { receipt, text: own?.text ?? '', verifiedBy: coordinatorKey };
}
