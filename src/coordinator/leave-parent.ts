import { Refusal } from '../protocol/refusal.ts';
import { requireRunner } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { changeParent, parentOf } from './parent-records.ts';
import { inStudy } from './study-session.ts';

/** Takes a region out of the study of its parent, for good. Due work withdraws its sum there, as often as it takes. */
export async function leaveParent(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
): Promise<void> {
  requireRunner(caller, id);
  await inStudy(context, id, async (session) => {
    const parent = await parentOf(session.db, id);
    if (parent === undefined) {
      throw new Refusal('conflict', 'the study has no parent', 'give the link of a region’s study');
    }
    if (parent.left_at !== null) return;
    await changeParent(session.db, id, { left_at: session.at, problem: null });
    session.record('parent-left', {});
  });
}
