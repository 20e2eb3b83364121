import { defined } from '../defined.ts';
import { type Failure, FailureError } from '../failure.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { advanceMasks, maskExchange } from './parent-masks.ts';
import { newestForward, noteProblem, parentOf } from './parent-records.ts';
import { parentLink } from './parent-study.ts';
import { regionalSum } from './regional-sum.ts';
import { sendSum } from './send-sum.ts';
import { type ActiveSet, activeNow } from './stored-contributions.ts';
import { isCollecting } from './study-session.ts';
import type { ForwardsTable } from './tables.ts';
import { withdrawSum } from './withdraw-sum.ts';

/** Time after which a parent that did not answer is asked again, and one that refused. */
const LATER_MS = { network: 2_000, refused: 20_000 };

/** Log lengths of regional studies for which nothing was left to do, and when others are tried again; either may be lost. */
interface Memory {
  readonly finished: Map<string, number>;
  readonly postponed: Map<string, number>;
}
const memories = new WeakMap<CoordinatorContext, Memory>();

function memoryOf(context: CoordinatorContext): Memory {
  const known = memories.get(context) ?? { finished: new Map(), postponed: new Map() };
  memories.set(context, known);
  return known;
}

/**
 * Sends the sums of regional studies to their parents, and withdraws them there. What is to be sent follows from the store and the
 * parent's answer, so a crash at any moment only delays it.
 */
export async function sendDueSums(context: CoordinatorContext): Promise<void> {
  const rows = await context.store.db
    .selectFrom('parents')
    .innerJoin('studies', 'studies.id', 'parents.study')
    .select(['studies.id', 'studies.audit_length as length'])
    .where('studies.state', '!=', 'draft')
    .where('studies.due', '=', 0)
    .execute();
  const { finished, postponed } = memoryOf(context);
  const due = rows.filter(
    ({ id, length }) =>
      finished.get(id) !== length && (postponed.get(id) ?? 0) <= performance.now(),
  );
  await Promise.all(
    due.map(({ id, length }) =>
      context.store.alone(`parent:${id}`, async () => {
        if (await attempt(context, id)) finished.set(id, length);
      }),
    ),
  );
}

/** Lets the next due work ask the parent again at once, though it refused before. */
export function askParentSoon(context: CoordinatorContext, id: string): void {
  memoryOf(context).postponed.delete(id);
}

/** One attempt; whether nothing is left to do until the study changes. */
async function attempt(context: CoordinatorContext, id: string): Promise<boolean> {
  try {
    return await advance(context, id);
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    const wait = error.kind === 'network' ? LATER_MS.network : LATER_MS.refused;
    memoryOf(context).postponed.set(id, performance.now() + wait);
    await noteProblem(context, id, error.problem);
    return false;
  }
}

async function advance(context: CoordinatorContext, id: string): Promise<boolean> {
  const { db } = context.store;
  const last = await newestForward(db, id);
  const parent = await parentOf(db, id);
  if (parent === undefined) return true;
  if (parent.left_at !== null) return last?.kind === 'sum' ? withdrawSum(context, id) : true;
  const masks = maskExchange(context, parent, await parentLink(context, id));
  const open = masks !== undefined && (await advanceMasks(masks, last));
  const active = await activeNow(db, id, { includeLate: false });
  if (last?.contributions === active.digest && last.receipt !== null) return !open;
  const { state } = await db
    .selectFrom('studies')
    .select('state')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const gone = sitesGone(last, active);
  if (isCollecting(state)) return gone ? withdrawSum(context, id) : !open;
  const sum = await regionalSum(context, id, active);
  if (sum === undefined) return false;
  if ('problem' in sum) return (await withhold(context, id, active, last, sum)) && !open;
  return sendSum(context, id, { active, sum, gone, ...defined({ masks }) });
}

/** Whether the newest sum has a site that is no longer part of the study. */
function sitesGone(last: ForwardsTable | undefined, { bySite }: ActiveSet): boolean {
  if (last?.kind !== 'sum') return false;
  const { contributions } = JSON.parse(last.members);
  return contributions.some(({ site }: { site: string }) => !bySite.has(site));
}

/** Sends nothing, and says why; what the parent has of other contributions is withdrawn. */
async function withhold(
  context: CoordinatorContext,
  id: string,
  { digest }: ActiveSet,
  last: ForwardsTable | undefined,
  { problem, later }: Failure,
): Promise<boolean> {
  const stale = last?.kind === 'sum' && last.contributions !== digest;
  const finished = stale && later !== true ? await withdrawSum(context, id) : later !== true;
  await noteProblem(context, id, problem);
  return finished;
}
