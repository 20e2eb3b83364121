import { Refusal } from '../protocol/refusal.ts';
import type { Desk } from './desk.ts';
import { resolveDue } from './resolutions.ts';
import { inStudy } from './study-session.ts';

/** Closes what is over and resolves what is due; one study's failure does not hold up another. */
export async function tend(desk: Desk): Promise<void> {
  const { db } = desk.store;
  const over = await db
    .selectFrom('studies')
    .select('id')
    .where('state', 'in', ['open', 'collecting'])
    .where('deadline', '<=', desk.now().toISOString())
    .execute();
  const failures: unknown[] = [];
  const each = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      // Somebody reopened it meanwhile: nothing is due any more.
      if (!(error instanceof Refusal && error.code === 'conflict')) failures.push(error);
    }
  };
  for (const { id } of over) await each(() => inStudy(desk, id, async () => {}));
  const due = await db.selectFrom('studies').select('id').where('due', '=', 1).execute();
  for (const { id } of due) await each(() => resolveDue(desk, id));
  if (failures.length > 0) throw failures[0];
}
