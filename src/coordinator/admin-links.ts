import type { AdminSecret } from '../protocol/messages.ts';
import { accessRow, newToken, requireRunner } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { inRounds, type StudySession } from './study-session.ts';

/** A new secret for the analyst; all earlier ones stop working. */
export async function renewAdmin(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
): Promise<AdminSecret> {
  requireRunner(caller, id);
  const token = newToken('study');
  await inRounds(context, id, 'all rounds', async (sessions) => {
    const [{ db, first, at }] = sessions;
    await endAdminTokens(sessions[0]);
    await db
      .insertInto('access')
      .values(accessRow(token, { role: 'study', study: first, site: null }, at))
      .execute();
    for (const session of sessions) session.record('admin-renewed', {});
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
  await inRounds(context, id, 'all rounds', async (sessions) => {
    if (!(await endAdminTokens(sessions[0]))) return;
    for (const session of sessions) session.record('admin-revoked', {});
  });
}

/** Whether there was a secret to end. */
async function endAdminTokens({ db, first, at }: StudySession): Promise<boolean> {
  const [{ numUpdatedRows }] = await db
    .updateTable('access')
    .set({ revoked_at: at })
    .where('study', '=', first)
    .where('role', '=', 'study')
    .where('revoked_at', 'is', null)
    .execute();
  return numUpdatedRows > 0n;
}
