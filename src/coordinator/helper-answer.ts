import type { PartyAnswer } from '../aggregation/aggregation.ts';
import { type Failure, FailureError } from '../failure.ts';
import type { Agreement } from '../federate.ts';
import { helperClient } from '../protocol/helper-client.ts';
import {
  type SealedStatement,
  type SignedSlip,
  setDigest,
  setMembers,
  type Unusable,
} from '../protocol/helper-messages.ts';
import { askMaskSum, type MaskSum } from '../protocol/mask-sum.ts';
import type { SealedOpening } from '../protocol/opening-messages.ts';
import { slipOf } from '../protocol/signed-contribution.ts';
import { decodeContribution } from '../statistic/envelope.ts';
import { bytesOf } from '../statistic/layout.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { changeSite } from './invitations.ts';
import { agreementsIn, openingRows } from './openings.ts';
import { eraseContributions, storedContributions } from './stored-contributions.ts';
import { inStudy } from './study-session.ts';

/** What a helper gets of a stored contribution: everything but its numbers. */
export function slipIn({ digest, layout }: Agreement, body: Uint8Array): SignedSlip {
  const decoded = decodeContribution(body, digest, layout);
  if ('refused' in decoded) throw new Error('a stored contribution cannot be read');
  const { study: _, ...slip } = slipOf(decoded.contribution);
  return slip as SignedSlip; // contributions without a signature or a seal were refused when they came
}

/**
 * The helper's answer about these contributions, or why there is none. Undefined if it could not use some: they are erased
 * then, and the others can be asked about.
 */
export async function helperAnswer(
  context: CoordinatorContext,
  id: string,
  agreed: Agreement,
  slips: readonly SignedSlip[],
): Promise<readonly PartyAnswer[] | Failure | undefined> {
  const openings = agreementsIn(await openingRows(context.store.db, id));
  const found = await askHelper(context, id, agreed, slips, openings);
  if ('problem' in found) return found;
  if (!('unusable' in found)) return found.answers;
  const set = setDigest(agreed.digest, setMembers(slips));
  if (await isLogged(context, id, set)) return contradiction;
  await eraseUnusable(context, id, found.unusable);
  return undefined;
}

/** Asks the helper about contributions, and logs its signed statement. `openings` are the words of sites that agreed to be seen. */
export async function askHelper(
  context: CoordinatorContext,
  id: string,
  agreed: Agreement,
  slips: readonly SignedSlip[],
  openings: readonly SealedOpening[],
): Promise<MaskSum | Failure> {
  const party = agreed.aggregation.helper!;
  try {
    const client = helperClient(party.url, {
      retryFor: 0,
      patience: PATIENCE_MS,
      mostBytes: mostBytes(agreed, slips.length),
      ...context.helpers,
    });
    const found = await askMaskSum(client, party, agreed, slips, openings);
    if ('statement' in found) await recordStatement(context, id, found.statement);
    return found;
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    const { problem, remedy, kind } = error;
    // The connection may come back, and the deadline will pass: the study stays due.
    return { problem, remedy, ...(kind === 'network' ? { later: true } : {}) };
  }
}

/** A set that was answered once has no contribution that cannot be used: none may be erased on such a word. */
const contradiction: Failure = {
  problem: 'the helper now refuses contributions that it has answered for before',
  remedy:
    'ask the people of the helper; its signed statement is in the log, and nothing was erased',
};

/** Most bytes of an answer: a sum of each group in base64, and some text about each contribution. */
function mostBytes({ layout, aggregation }: Agreement, contributions: number): number {
  const groups = aggregation.grouping?.groups ?? 1;
  return 2 ** 16 + 2 ** 12 * contributions + groups * Math.ceil((bytesOf(layout) * 4) / 3 + 100);
}

/** Adding the masks of a thousand large contributions takes a helper some seconds. */
const PATIENCE_MS = 120_000;

/** Erases contributions that the helper cannot use; the log names their sites, and each may send again. */
async function eraseUnusable(
  context: CoordinatorContext,
  id: string,
  unusable: readonly Unusable[],
): Promise<void> {
  await inStudy(context, id, async (session) => {
    for (const { site, sequence, why } of unusable) {
      const stored = await storedContributions(session.db, id, site);
      const own = stored.filter((one) => one.sequence === sequence);
      if (own.length === 0) continue;
      await eraseContributions(session, own);
      if (stored.length === 1) await changeSite(session, site, { state: 'invited' });
      session.record('unusable', { site, sequence, why });
    }
  });
  await context.store.scrub();
}

/** Logs what the helper has answered, once. */
async function recordStatement(
  context: CoordinatorContext,
  id: string,
  { set, sites, contributions, answeredAt, seal }: SealedStatement,
): Promise<void> {
  if (await isLogged(context, id, set)) return;
  await inStudy(context, id, async (session) => {
    session.record('helper-answered', {
      set,
      sites,
      contributions,
      answeredAt,
      signature: seal.signature,
    });
  });
}

/** Whether the log has a statement about this set. */
async function isLogged({ store }: CoordinatorContext, id: string, set: string): Promise<boolean> {
  const logged = await store.db
    .selectFrom('audit')
    .select('detail')
    .where('study', '=', id)
    .where('event', '=', 'helper-answered')
    .execute();
  return logged.some(({ detail }) => JSON.parse(detail).set === set);
}
