import { type Agreement, contribution, readContribution } from '../federate.ts';
import type { StudyClient } from '../protocol/client.ts';
import { Refusal } from '../protocol/refusal.ts';
import { signContribution } from '../protocol/signed-contribution.ts';
import { type MaskExchange, useMask } from '../site/mask-exchange.ts';
import { encodeContribution } from '../statistic/envelope.ts';
import type { RingVector } from '../statistic/ring.ts';
import { digestBytes } from '../study/digest.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { heldIn } from './minimum-sites.ts';
import { maskNow } from './parent-masks.ts';
import { keepForward, keepForwardReceipt, newestForward, parentOf } from './parent-records.ts';
import {
  askParent,
  isIn,
  type ParentMembership,
  parentClient,
  parentLink,
} from './parent-study.ts';
import type { RegionalSum } from './regional-sum.ts';
import { siteLines } from './site-statuses.ts';
import { type ActiveSet, activeNow, contributionsOf } from './stored-contributions.ts';
import { inStudy, isCollecting, type StudySession } from './study-session.ts';
import type { ForwardsTable } from './tables.ts';
import { withdrawAt } from './withdraw-sum.ts';

/** What is to be sent: the sum of these contributions. */
export interface Sending {
  readonly active: ActiveSet;
  readonly sum: RegionalSum;
  /** Whether the sum before this one has a site that left. */
  readonly gone: boolean;
  /** Where the sites of the parent agree on masks. */
  readonly masks?: MaskExchange;
}

/** Sends the sum of a region as one contribution; whether the parent has it now. */
export async function sendSum(
  context: CoordinatorContext,
  id: string,
  sending: Sending,
): Promise<boolean> {
  const link = await parentLink(context, id);
  const client = parentClient(context, link);
  const parent = await askParent(context, link);
  const last = await learnReceipt(context, id, client);
  if (last?.contributions === sending.active.digest && last.receipt !== null) return true;
  // A closed parent keeps a replacement apart until its analyst includes it, and the sites that left must not wait for that.
  if (sending.gone && isIn(parent) && !isCollecting(parent.view.state)) {
    await withdrawAt(context, id, client, parent);
    return false;
  }
  try {
    const file = await pendingFile(context, id, parent, sending);
    if (file === undefined) return false;
    if (sending.masks !== undefined) await useMask(sending.masks);
    const receipt = await client.contribute(file.body);
    await inStudy(context, id, (session) => keepForwardReceipt(session, file, receipt));
    return sending.masks === undefined;
  } catch (error) {
    if (!(error instanceof Refusal) || !sending.gone || !isIn(parent)) throw error;
    // The parent takes no other sum of this region: what it has must not outlive the sites that left.
    await withdrawAt(context, id, client, parent);
    throw error;
  }
}

/** The newest message; if its answer was lost, its receipt is asked for first. */
async function learnReceipt(
  context: CoordinatorContext,
  id: string,
  client: StudyClient,
): Promise<ForwardsTable | undefined> {
  const last = await newestForward(context.store.db, id);
  if (last === undefined || last.receipt !== null || last.kind !== 'sum') return last;
  const receipts = await client.receipts();
  const receipt = receipts.find(({ digest }) => digest === last.digest);
  if (receipt === undefined) return last;
  await inStudy(context, id, (session) => keepForwardReceipt(session, last, receipt));
  return newestForward(context.store.db, id);
}

type PendingFile = Pick<ForwardsTable, 'sequence' | 'contributions'> & {
  readonly body: Uint8Array;
};

/** The file to send: the one that waits, if it has this sum; else a new one, which is stored. Undefined if it may not leave any more. */
async function pendingFile(
  context: CoordinatorContext,
  id: string,
  parent: ParentMembership,
  { active, sum, masks }: Sending,
): Promise<PendingFile | undefined> {
  const sequence = parent.view.you?.nextSequence ?? 1;
  const contributions = active.digest;
  const last = await newestForward(context.store.db, id);
  const waits = last?.sequence === sequence && last.contributions === contributions;
  const waiting = waits ? last.body : null;
  const mask = masks === undefined || waiting !== null ? undefined : await maskNow(masks);
  if (masks !== undefined && waiting === null && mask === undefined) return undefined;
  const body = waiting ?? (await sumFile(context, parent, sum, sequence, mask));
  const members = {
    contributions: contributionsOf(active.bySite),
    report: { sites: siteLines(active) },
  };
  return inStudy(context, id, async (session) => {
    if (!(await mayLeave(session, active))) return undefined;
    if (waiting === null) {
      await keepForward(session, {
        ...{ sequence, kind: 'sum', contributions, members: JSON.stringify(members) },
        ...{ digest: digestBytes(body), made_at: session.at, body },
      });
    }
    return { sequence, contributions, body };
  });
}

/** Whether a sum may leave still: the parent was asked, which takes as long as the parent likes. */
async function mayLeave(session: StudySession, active: ActiveSet): Promise<boolean> {
  const { db, id, study, context } = session;
  const now = await activeNow(db, id, { includeLate: false });
  if (now.digest !== active.digest || study.erased_at !== null) return false;
  if ((await parentOf(db, id))?.left_at !== null) return false;
  return (await heldIn(session, await context.agreed(id), active)) === undefined;
}

/** The region's contribution to its parent, signed with the coordinator's key and checked as the parent will check it. */
async function sumFile(
  { signing }: CoordinatorContext,
  parent: ParentMembership,
  { total, dropped }: RegionalSum,
  sequence: number,
  mask?: RingVector,
): Promise<Uint8Array> {
  const { agreed, site } = parent;
  await agreed.aggregation.load?.();
  const statistic = { layout: agreed.layout, values: total.values };
  const summary = { statistic, released: statistic, rows: 0, dropped, missing: {} };
  const mode = isIn(parent) ? 'replace' : 'add';
  const made = contribution(agreed, site, summary, { sequence, mode }, mask);
  const file = encodeContribution(signContribution(made, signing));
  refuseImpossible(agreed, file);
  return file;
}

function refuseImpossible(agreed: Agreement, file: Uint8Array): void {
  const read = readContribution(agreed, file);
  if (!('refused' in read)) return;
  throw new Refusal(
    'unprocessable',
    `the sum of the region is no contribution to its parent: ${read.refused}`,
    'ask the analyst of the parent for a study whose numbers have room for a sum over sites',
  );
}
