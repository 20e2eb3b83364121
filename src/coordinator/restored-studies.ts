import { digestJson } from '../study/digest.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { olderThanReleases, spendsBudget } from './release-witness.ts';
import { newestResolution } from './resolution-records.ts';
import { everyStudy } from './store.ts';
import { activeNow } from './stored-contributions.ts';
import { inStudy, isCollecting } from './study-session.ts';

/** Most studies whose growth waits to be looked at. */
const MOST_GROWN = 1000;

/**
 * Compares the store with the record of releases outside it. Closes private studies that have
 * published more than the store knows, and gives their ids; records releases of other processes.
 */
export async function closeRestored(context: CoordinatorContext): Promise<readonly string[]> {
  const { db } = context.store;
  const witnessed = new Set(await context.witness.studies());
  const rows = await db
    .selectFrom('studies')
    .leftJoin('resolutions', 'resolutions.study', 'studies.id')
    .select(({ fn }) => [
      'studies.id',
      'studies.digest',
      fn.count<number>('number').as('published'),
    ])
    .groupBy(['studies.id', 'studies.digest'])
    .execute();
  const closed: string[] = [];
  for (const { id, digest, published } of rows) {
    if (published > 0) await learn(context, id);
    if (witnessed.has(digest) && (await closeIfOlder(context, id))) closed.push(id);
  }
  return closed;
}

/** Keeps the record up to date with what other processes publish, one look at a time. */
export function learnFromOthers(context: CoordinatorContext): void {
  const grown = new Set<string>();
  let looking = false;
  const look = async (): Promise<void> => {
    looking = true;
    for (const id of grown) {
      grown.delete(id);
      // A study that is not there, or a store that does not answer: the next growth looks again.
      await learn(context, id).catch(() => {});
    }
    looking = false;
  };
  context.store.listen(({ study }) => {
    if (study === everyStudy) return;
    if (grown.size < MOST_GROWN) grown.add(study);
    if (!looking) void look();
  });
}

/** Records the newest release of a study if the record does not have it. */
async function learn(context: CoordinatorContext, id: string): Promise<void> {
  const agreed = await context.agreed(id);
  if (!spendsBudget(agreed)) return;
  const newest = await newestResolution(context.store.db, id);
  const known = await context.witness.newest(agreed.digest);
  if (newest === undefined || newest.number <= (known?.number ?? 0)) return;
  const contributions = digestJson(newest.contributions);
  await context.witness.record(agreed.digest, { number: newest.number, contributions });
}

async function closeIfOlder(context: CoordinatorContext, id: string): Promise<boolean> {
  const agreed = await context.agreed(id);
  return inStudy(context, id, async (session) => {
    const { state, problem } = session.study;
    if (!isCollecting(state) && state !== 'closed') return false;
    const published = (await newestResolution(session.db, id))?.number ?? 0;
    const older = await olderThanReleases(context, agreed, published);
    if (older === undefined || problem === older.problem) return false;
    const { digest } = await activeNow(session.db, id, { includeLate: false });
    const isSame = (await olderThanReleases(context, agreed, published, digest)) === undefined;
    if (isSame && state === 'closed') return false; // a crash before the commit: it resolves again
    if (isCollecting(state)) session.close('restored');
    if (isSame) return true; // it resolves to what was published
    session.change({ due: 0, problem: older.problem });
    session.record('unresolved', { problem: older.problem });
    return true;
  });
}
