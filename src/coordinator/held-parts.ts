import type { Kysely } from 'kysely';
import { countingParts, type Part, supersededParts } from './counting-parts.ts';
import type { StudySession } from './study-session.ts';
import type { ContributionsTable, Tables } from './tables.ts';

/** What is known of a contribution without its numbers. */
export type HeldPart = Part & Pick<ContributionsTable, 'rows' | 'dropped' | 'bytes'>;

/** Contributions to a study that are held, of one site or of all. */
export function heldParts(db: Kysely<Tables>, study: string, site?: string): Promise<HeldPart[]> {
  const parts = db
    .selectFrom('contributions')
    .select(['site', 'sequence', 'mode', 'late', 'digest', 'rows', 'dropped', 'bytes'])
    .where('study', '=', study)
    .where('digest', 'is not', null);
  return (site === undefined ? parts : parts.where('site', '=', site)).execute();
}

/** Erases contributions: each keeps its place in the sequence and nothing else. */
export async function eraseParts(session: StudySession, parts: readonly Part[]): Promise<void> {
  for (const { site, sequence } of parts) {
    await session.db
      .updateTable('contributions')
      .set({ body: null, digest: null, rows: null, dropped: null, bytes: null })
      .where('study', '=', session.id)
      .where('site', '=', site)
      .where('sequence', '=', sequence)
      .execute();
  }
}

/** Lets what came late count from now on, and erases what it replaces. */
export async function acceptLate(session: StudySession): Promise<{
  readonly counting: ReadonlyMap<string, readonly HeldPart[]>;
  readonly erased: number;
}> {
  const { db, id } = session;
  const parts = await heldParts(db, id);
  const lateSites = [...new Set(parts.filter(({ late }) => late === 1).map(({ site }) => site))];
  if (lateSites.length > 0) {
    await db.updateTable('contributions').set({ late: 0 }).where('study', '=', id).execute();
  }
  for (const name of lateSites) {
    await db
      .updateTable('sites')
      .set({ state: 'contributed' })
      .where('study', '=', id)
      .where('name', '=', name)
      .where('state', '!=', 'revoked')
      .execute();
  }
  const accepted = parts.map((part) => ({ ...part, late: 0 }));
  const superseded = supersededParts(accepted);
  await eraseParts(session, superseded);
  return {
    counting: countingParts(accepted, { includeLate: false }),
    erased: superseded.length,
  };
}
