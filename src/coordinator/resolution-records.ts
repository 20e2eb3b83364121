import type { Kysely } from 'kysely';
import type { ResolutionLine, SealedResolution } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { requireMember } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import type { StudySession } from './study-session.ts';
import type { Tables } from './tables.ts';

/** All resolutions of a study, in order of number. */
export async function listResolutions(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
): Promise<readonly ResolutionLine[]> {
  requireMember(caller, id);
  await context.agreed(id);
  const rows = await context.store.db
    .selectFrom('resolutions')
    .select(['number', 'digest', 'resolved_at', 'sites'])
    .where('study', '=', id)
    .orderBy('number')
    .execute();
  await context.store.durable();
  return rows.map(({ resolved_at, ...row }) => ({ ...row, resolvedAt: resolved_at }));
}

/** One resolution of a study. */
export async function readResolution(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  number: number | 'latest',
): Promise<SealedResolution> {
  requireMember(caller, id);
  await context.agreed(id);
  const found =
    number === 'latest'
      ? await newestResolution(context.store.db, id)
      : await numberedResolution(context.store.db, id, number);
  // It is signed: anyone who has it must find it here after a power cut.
  await context.store.durable();
  if (found !== undefined) return found;
  throw new Refusal(
    'not-found',
    number === 'latest' ? 'the study has no resolution yet' : 'the study has no such resolution',
    'look at the study: it shows its deadline and its newest resolution',
  );
}

export async function newestResolution(
  db: Kysely<Tables>,
  id: string,
): Promise<SealedResolution | undefined> {
  const row = await db
    .selectFrom('resolutions')
    .select('document')
    .where('study', '=', id)
    .orderBy('number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : JSON.parse(row.document);
}

async function numberedResolution(
  db: Kysely<Tables>,
  id: string,
  number: number,
): Promise<SealedResolution | undefined> {
  const row = await db
    .selectFrom('resolutions')
    .select('document')
    .where('study', '=', id)
    .where('number', '=', number)
    .executeTakeFirst();
  return row === undefined ? undefined : JSON.parse(row.document);
}

/** Stores a resolution with this digest. */
export async function insertResolution(
  session: StudySession,
  resolution: SealedResolution,
  digest: string,
): Promise<void> {
  await session.db
    .insertInto('resolutions')
    .values({
      study: session.id,
      number: resolution.number,
      digest,
      resolved_at: resolution.resolvedAt,
      sites: resolution.contributions.length,
      document: JSON.stringify(resolution),
    })
    .execute();
}
