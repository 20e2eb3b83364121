import type { Kysely } from 'kysely';
import type { ResolutionLine, SealedResolution } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { resolutionDigest } from '../protocol/verify-resolution.ts';
import { requirePart } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { Desk } from './desk.ts';
import type { StudySession } from './study-session.ts';
import type { Tables } from './tables.ts';

/** All answers a study has had, in order of their numbers. */
export async function listResolutions(
  desk: Desk,
  caller: Caller,
  id: string,
): Promise<readonly ResolutionLine[]> {
  requirePart(caller, id);
  await desk.agreed(id);
  const rows = await desk.store.db
    .selectFrom('resolutions')
    .select(['number', 'digest', 'resolved_at', 'sites'])
    .where('study', '=', id)
    .orderBy('number')
    .execute();
  return rows.map(({ resolved_at, ...row }) => ({ ...row, resolvedAt: resolved_at }));
}

/** One answer of a study. */
export async function readResolution(
  desk: Desk,
  caller: Caller,
  id: string,
  number: number | 'latest',
): Promise<SealedResolution> {
  requirePart(caller, id);
  await desk.agreed(id);
  const found =
    number === 'latest'
      ? await newestResolution(desk.store.db, id)
      : await numberedResolution(desk.store.db, id, number);
  if (found !== undefined) return found;
  throw new Refusal(
    'not-found',
    number === 'latest' ? 'the study has no resolution yet' : 'the study has no such resolution',
    'look at the study: it says when it resolves and which resolutions there are',
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

/** Adds an answer to a study and its log. */
export async function insertResolution(
  session: StudySession,
  resolution: SealedResolution,
): Promise<void> {
  await session.db
    .insertInto('resolutions')
    .values({
      study: session.id,
      number: resolution.number,
      digest: resolutionDigest(resolution),
      resolved_at: resolution.resolvedAt,
      sites: resolution.contributions.length,
      document: JSON.stringify(resolution),
    })
    .execute();
}
