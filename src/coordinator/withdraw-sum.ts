import type { StudyClient } from '../protocol/client.ts';
import type { Withdrawal } from '../protocol/messages.ts';
import { sealDocument } from '../protocol/signature.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { keepForward, keepForwardReceipt, newestForward } from './parent-records.ts';
import { askParent, type ParentMembership, parentClient, parentLink } from './parent-study.ts';
import { inStudy } from './study-session.ts';

/** Withdraws the region's sum at the parent. */
export async function withdrawSum(context: CoordinatorContext, id: string): Promise<boolean> {
  const link = await parentLink(context, id);
  const client = parentClient(context, link);
  await withdrawAt(context, id, client, await askParent(context, link));
  return true;
}

/**
 * The same, for a parent that was asked. A sum without a receipt may still be on its way, whatever the parent has: the withdrawal takes
 * its number, so it is refused when it arrives.
 */
export async function withdrawAt(
  context: CoordinatorContext,
  id: string,
  client: StudyClient,
  { view, site }: ParentMembership,
): Promise<void> {
  const own = view.sites.find(({ name }) => name === site);
  const late = (own?.late ?? 0) > 0;
  const last = await newestForward(context.store.db, id);
  const underWay = last?.kind === 'sum' && last.receipt === null;
  const isIn = own?.state === 'contributed' || late || underWay;
  if (!isIn && own?.state !== 'withdrawn') return;
  // A repeated withdrawal has the number of the one before, and gets the same answer.
  const next = view.you?.nextSequence ?? 1;
  const sequence = isIn ? next : next - 1;
  const withdrawal: Withdrawal = {
    ...{ schema: 'suffice/withdrawal@1', study: view.digest, site, sequence },
  };
  const erasure = await client.withdraw({ withdrawal: sealDocument(withdrawal, context.signing) });
  await inStudy(context, id, async (session) => {
    const made = { sequence, contributions: '', members: '{}', made_at: session.at };
    await keepForward(session, { ...made, kind: 'withdrawal', digest: null, body: null });
    await keepForwardReceipt(session, made, erasure);
  });
}
