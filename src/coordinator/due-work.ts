import { Refusal } from '../protocol/refusal.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { resolveDue } from './resolutions.ts';
import { inStudy } from './study-session.ts';

/** Closes studies past their deadline and resolves studies that are due; a failure in one does not stop the others. */
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
  for (const { id } of expired) await attempt(() => inStudy(context, id, async () => {}));
  const due = await db.selectFrom('studies').select('id').where('due', '=', 1).execute();
  for (const { id } of due) await attempt(() => resolveDue(context, id));
  if (failures.length > 0) throw failures[0];
}
