import type { Kysely, Transaction } from 'kysely';
import type { SealedErasure, SealedReceipt } from '../protocol/messages.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { inStudy, type StudySession } from './study-session.ts';
import type { ForwardsTable, ParentsTable, Tables } from './tables.ts';

/** Where the sum of a regional study goes; undefined for any other study. */
export function parentOf(db: Kysely<Tables>, id: string): Promise<ParentsTable | undefined> {
  return db.selectFrom('parents').selectAll().where('study', '=', id).executeTakeFirst();
}

/** Changes what the region remembers about its parent, inside a write. */
export async function changeParent(
  db: Transaction<Tables>,
  id: string,
  change: Partial<Pick<ParentsTable, 'link' | 'masks' | 'problem' | 'left_at'>>,
): Promise<void> {
  await db.updateTable('parents').set(change).where('study', '=', id).execute();
}

/** Notes why nothing was sent; nothing is written where it is known. The log says when, and pages hear of it; the parent's words are not in it. */
export async function noteProblem(
  context: CoordinatorContext,
  id: string,
  problem: string,
): Promise<void> {
  if ((await parentOf(context.store.db, id))?.problem === problem) return;
  await inStudy(context, id, async (session) => {
    await changeParent(session.db, id, { problem });
    session.record('sum-waits', {});
  });
}

/** The newest message of a region to its parent, sent or about to be. */
export function newestForward(db: Kysely<Tables>, id: string): Promise<ForwardsTable | undefined> {
  return db
    .selectFrom('forwards')
    .selectAll()
    .where('study', '=', id)
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * Stores a message before it is sent. A parent that was restored from a backup, or lies, may ask for a number again: the message
 * goes, and the record of what was in the sum stays.
 */
export async function keepForward(
  { db, id }: StudySession,
  forward: Omit<ForwardsTable, 'study' | 'receipt'>,
): Promise<void> {
  await db
    .deleteFrom('forwards')
    .where('study', '=', id)
    .where('sequence', '>=', forward.sequence)
    .execute();
  await db
    .insertInto('forwards')
    .values({ ...forward, study: id, receipt: null })
    .execute();
  const { kind, contributions, members } = forward;
  if (kind !== 'sum') return;
  await db
    .insertInto('sent_sums')
    .values({ study: id, contributions, members })
    .onConflict((conflict) => conflict.columns(['study', 'contributions']).doNothing())
    .execute();
}

/** Stores the parent's receipt; the file is not needed any more. */
export async function keepForwardReceipt(
  session: StudySession,
  { sequence, contributions }: Pick<ForwardsTable, 'sequence' | 'contributions'>,
  receipt: SealedReceipt | SealedErasure,
): Promise<void> {
  await session.db
    .updateTable('forwards')
    .set({ receipt: JSON.stringify(receipt), body: null })
    .where('study', '=', session.id)
    .where('sequence', '=', sequence)
    .execute();
  await changeParent(session.db, session.id, { problem: null });
  const { study, audit } = receipt;
  if ('erased' in receipt)
    session.record('sum-withdrawn', { study, sequence, entry: audit.digest });
  else {
    const { digest, late } = receipt;
    session.record('sum-sent', {
      study,
      sequence,
      digest,
      contributions,
      late,
      entry: audit.digest,
    });
  }
}
