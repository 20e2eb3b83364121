import type { Failure } from '../failure.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { erasePartyMail } from './party-erasure.ts';
import { eraseUnsentSum } from './stored-contributions.ts';
import { inStudy } from './study-session.ts';
import type { StudiesTable } from './tables.ts';

const DAY = 86_400_000;

type Erased = Pick<StudiesTable, 'erased_at'>;

/** Why a study's contributions cannot be used any more; undefined if they can. */
export function erasedFailure({ erased_at }: Erased): Failure | undefined {
  if (erased_at === null) return undefined;
  return {
    problem: `the contributions to this study were erased on ${erased_at.slice(0, 10)}, when the time to keep them was over: it cannot be resolved again`,
    remedy: 'use the report and the log, which stay; for another answer, make a new study',
  };
}

/** Refuses to use contributions that were erased because their time was over. */
export function refuseErased(study: Erased): void {
  const failure = erasedFailure(study);
  if (failure !== undefined) throw new Refusal('gone', failure.problem, failure.remedy);
}

/** Refuses as `refuseErased`, outside a write. */
export async function refuseErasedStudy(
  { store }: Pick<CoordinatorContext, 'store'>,
  id: string,
): Promise<void> {
  const row = await store.db
    .selectFrom('studies')
    .select('erased_at')
    .where('id', '=', id)
    .executeTakeFirst();
  if (row !== undefined) refuseErased(row);
}

/**
 * Erases the contributions to studies that closed or resolved more than `keepDays` ago and have nothing due. Reports,
 * receipts and logs stay: digest and counts of each contribution are part of them.
 */
export async function eraseOverdue(context: CoordinatorContext): Promise<void> {
  const { keepDays, store } = context;
  if (keepDays === undefined) return;
  const latest = new Date(Date.parse(await context.now()) - keepDays * DAY).toISOString();
  const overdue = await store.db
    .selectFrom('studies')
    .select('id')
    .where('state', 'in', ['closed', 'resolved'])
    .where('due', '=', 0)
    .where('erased_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('audit')
            .select('audit.position')
            .whereRef('audit.study', '=', 'studies.id')
            .where('audit.event', 'in', ['closed', 'resolved', 'unresolved'])
            .where('audit.at', '>', latest),
        ),
      ),
    )
    .execute();
  for (const { id } of overdue) await eraseBodies(context, id, keepDays);
  if (overdue.length > 0) await store.scrub();
}

/** Erases the bodies of one study's contributions, and what its sites have sent besides. */
function eraseBodies(context: CoordinatorContext, id: string, days: number): Promise<void> {
  return inStudy(context, id, async (session) => {
    const { state, due, erased_at } = session.study;
    const ended = (state === 'closed' || state === 'resolved') && due === 0;
    if (!ended || erased_at !== null) return;
    const { db } = session;
    const { numUpdatedRows } = await db
      .updateTable('contributions')
      .set({ body: null })
      .where('study', '=', id)
      .where('digest', 'is not', null)
      .executeTakeFirst();
    await db.deleteFrom('blocks').where('study', '=', id).execute();
    await db.deleteFrom('uploads').where('study', '=', id).execute();
    await eraseUnsentSum(session);
    await erasePartyMail(session);
    session.change({ erased_at: session.at });
    session.record('erased', { contributions: Number(numUpdatedRows), days });
  });
}
