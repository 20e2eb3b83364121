import { verifyAuditLog } from '../protocol/audit-chain.ts';
import type { StudyClient } from '../protocol/client.ts';
import type { SealedReceipt } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { JoinNotice, SiteMembership } from './join.ts';
import type { SiteStore } from './site-store.ts';

/**
 * Refuses a coordinator that has lost what it acknowledged to this site: its store was restored from
 * an older copy, or damaged. A person who says that the file adds or replaces rows is only warned.
 */
export async function refuseLostReceipts(
  client: StudyClient,
  membership: SiteMembership,
  store: SiteStore,
  again: 'add' | 'replace' | undefined,
  notice: JoinNotice,
): Promise<void> {
  const lost = await lostReceipt(client, membership, store);
  if (lost === undefined) return;
  const problem = `the coordinator has lost a contribution of this site that it acknowledged: number ${lost.sequence}, received ${lost.receivedAt}`;
  if (again !== undefined) {
    notice(`${problem}; tell the analyst`);
    return;
  }
  throw new Refusal(
    'conflict',
    `${problem}; nothing was sent`,
    'tell the analyst: the store was restored from an older copy, or damaged. To send rows again all the same, say whether the file adds to the rows sent before or replaces them',
    { name: 'turn' },
  );
}

/**
 * The first receipt without its place in the coordinator's log; undefined if all have theirs. The log is asked, as another
 * tab or command of this site may have sent something since the membership was read.
 */
async function lostReceipt(
  client: StudyClient,
  { agreed, site, coordinatorKey }: SiteMembership,
  store: SiteStore,
): Promise<SealedReceipt | undefined> {
  const kept = (await store.acknowledged(agreed.digest, site))
    .filter(({ seal }) => seal.key === coordinatorKey)
    .sort((a, b) => a.sequence - b.sequence);
  if (kept.length === 0) return undefined;
  const log = await client.auditLog();
  const verdict = verifyAuditLog(log, { studyDigest: agreed.digest, coordinatorKey });
  if ('problem' in verdict) return kept[0];
  return kept.find(({ audit }) => log.entries[audit.position - 1]?.digest !== audit.digest);
}
