import type { RenewParent } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { requireRunner } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { askParentSoon } from './due-sums.ts';
import { changeParent, parentOf } from './parent-records.ts';
import { requiredParent } from './parent-study.ts';
import { inStudy } from './study-session.ts';

/**
 * Takes a new invitation of a region to the study above: the old one was revoked, has expired or was lost. It must be of the same site in
 * the same study; the study above is asked before anything is stored.
 */
export async function renewParent(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  { parent: invitation }: RenewParent,
): Promise<void> {
  requireRunner(caller, id);
  const required = await requiredParent(context, await context.agreed(id), invitation);
  await inStudy(context, id, async (session) => {
    const parent = await parentOf(session.db, id);
    if (parent === undefined || required === undefined || parent.left_at !== null) {
      throw new Refusal(
        'conflict',
        'the region has left the study above',
        'make a new study of the region with the invitation',
      );
    }
    await changeParent(session.db, id, { link: required.row.link, problem: null });
    session.record('parent-renewed', {});
  });
  askParentSoon(context, id);
}
