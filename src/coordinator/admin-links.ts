import type { AdminSecret } from '../protocol/messages.ts';
import { accessRow, newToken, requireRunner } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { inStudy, type StudySession } from './study-session.ts';

/** A new secret for the analyst; all earlier ones stop working. */
export async function renewAdmin(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
): Promise<AdminSecret> {
  requireRunner(caller, id);
  const token = newToken('study');
  await inStudy(context, id, async (session) => {
    await endAdminTokens(session);
    await session.db
      .insertInto('access')
      .values(accessRow(token, { role: 'study', study: id, site: null }, session.at))
      .execute();
    session.record('admin-renewed', {});
  });
  return { schema: 'suffice/admin-secret@1', token };
}

/** Ends the secrets of the analyst; only the operator can then run the study, or make a new one. */
export async function revokeAdmin(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
): Promise<void> {
  requireRunner(caller, id);
  await inStudy(context, id, async (session) => {
    if (await endAdminTokens(session)) session.record('admin-revoked', {});
  });
}

/** Whether there was a secret to end. */
async function endAdminTokens({ db, id, at }: StudySession): Promise<boolean> {
  const [{ numUpdatedRows }] = await db
    .updateTable('access')
    .set({ revoked_at: at })
    .where('study', '=', id)
    .where('role', '=', 'study')
    .where('revoked_at', 'is', null)
    .execute();
  return numUpdatedRows > 0n;
}
