import { Refusal } from '../protocol/refusal.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { endExpiredStage } from './mask-exchange.ts';
import { maskStudy } from './mask-records.ts';
import { resolveDue } from './resolutions.ts';
import { eraseOverdue } from './retention.ts';
import { inStudy } from './study-session.ts';
import { forgetUploads } from './uploads.ts';

/** Closes studies past their deadline, resolves studies that are due, and erases what was kept long enough; a failure in one does not stop the others. */
export async function runDueWork(context: CoordinatorContext): Promise<void> {
  const { db } = context.store;
  const expired = await db
    .selectFrom('studies')
    .select('id')
    .where('state', 'in', ['open', 'collecting'])
    .where('deadline', '<=', await context.now())
    .execute();
  const failures: unknown[] = [];
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      // A conflict means that the study was reopened meanwhile: nothing is due any more.
      if (!(error instanceof Refusal && error.code === 'conflict')) failures.push(error);
    }
  };
  for (const { id } of expired) await attempt(() => expire(context, id));
  const due = await db.selectFrom('studies').select('id').where('due', '=', 1).execute();
  for (const { id } of due) await attempt(() => resolveDue(context, id));
  await attempt(() => forgetUploads(context));
  await attempt(() => eraseOverdue(context));
  if (failures.length > 0) throw failures[0];
}

/** Closes a study at its deadline, or ends the stage that its sites are in. */
async function expire(context: CoordinatorContext, id: string): Promise<void> {
  const agreed = await context.agreed(id);
  await inStudy(context, id, async (session) => {
    if (agreed.aggregation.masks !== undefined) {
      await endExpiredStage(session, maskStudy(agreed));
    }
  });
}
