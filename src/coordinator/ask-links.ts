import type { ColumnsAt } from '../aggregation/aggregation.ts';
import { FailureError } from '../failure.ts';
import type { Agreement } from '../federate.ts';
import { helperClient } from '../protocol/helper-client.ts';
import { type ForHelper, PART_BYTES, type PartyStep } from '../protocol/party-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { Sealed } from '../protocol/signature.ts';
import type { Linkage } from '../study/partition.ts';
import { boundedJson } from '../text/bounded-json.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import {
  NOBODY,
  partDigests,
  storePart,
  wholeMessage,
  wholeParts,
} from './stored-party-messages.ts';
import { inStudy } from './study-session.ts';

/** Steps whose messages are for the helper, by how rows are linked. */
export const helperStep: Readonly<Record<Linkage, PartyStep>> = { hmac: 'tokens', ecdh: 'count' };

/** What a party sent to the helper; refuses what is none, by the name of the party that sent it. */
async function forHelperIn(
  bytes: Uint8Array,
  sender: string,
  step: PartyStep,
): Promise<Sealed<ForHelper>> {
  const { forHelperSchema } = await import('../protocol/helper-schemas.ts');
  let value: unknown;
  try {
    value = boundedJson(new TextDecoder().decode(bytes));
  } catch {
    value = undefined;
  }
  const { data } = forHelperSchema.safeParse(value);
  if (data?.party === sender) return data;
  throw new Refusal(
    'unprocessable',
    `what ${sender} has sent as its ${step} cannot be read; the helper was not asked`,
    'ask that party; it needs a new study',
  );
}

/** How long a helper may link and deal. */
const PATIENCE_MS = 600_000;
/** Most bytes of its answer: a number for each person at each party, and one for each product of two columns. */
const ANSWER_BYTES = 2 ** 30;

/** Time after which a helper that did not answer is asked again, and one that refused: each question takes all tokens into memory. */
const LATER_MS = { network: 2_000, refused: 20_000 };

/** Why a helper gave no answer, and when it may be asked again; may be lost. */
interface Unanswered {
  readonly refusal: Refusal;
  readonly until: number;
}
const memories = new WeakMap<CoordinatorContext, Map<string, Unanswered>>();

function memoryOf(context: CoordinatorContext): Map<string, Unanswered> {
  const known = memories.get(context) ?? new Map<string, Unanswered>();
  memories.set(context, known);
  return known;
}

/**
 * Asks the helper to link or to deal, and stores its answer; does nothing before the messages of all parties to it are there. What it refused is
 * refused again for a while without asking: a party that asks on and on keeps neither the helper nor this process busy.
 */
export async function askLinks(
  context: CoordinatorContext,
  id: string,
  agreed: Agreement,
  columnsAt: ColumnsAt,
): Promise<void> {
  const unanswered = memoryOf(context);
  const before = unanswered.get(id);
  if (before !== undefined && performance.now() < before.until) throw before.refusal;
  unanswered.delete(id);
  try {
    await answeredLinks(context, id, agreed, columnsAt);
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    const refusal = error instanceof Refusal ? error : noAnswer(error);
    const wait = refusal.kind === 'network' ? LATER_MS.network : LATER_MS.refused;
    unanswered.set(id, { refusal, until: performance.now() + wait });
    throw refusal;
  }
}

function noAnswer({ problem }: FailureError): Refusal {
  return new Refusal(
    'not-yet',
    problem,
    'wait, and ask again; the operator of the helper can help',
  );
}

/** Asks the helper to link or to deal, once the messages of all parties to it are there, and stores its answer. Does nothing before, or if it is stored. */
async function answeredLinks(
  context: CoordinatorContext,
  id: string,
  { study }: Agreement,
  { parties, helper, linkage }: ColumnsAt,
): Promise<void> {
  const answered = { study: id, step: 'links', sender: NOBODY, receiver: NOBODY } as const;
  if ((await wholeParts(context, answered)) > 0) return;
  const step = helperStep[linkage];
  const places = Object.keys(parties).map(
    (sender) => ({ study: id, step, sender, receiver: NOBODY }) as const,
  );
  const asked: string[] = [];
  for (const place of places) asked.push(await partDigests(context.store.db, place));
  const tokens: Sealed<ForHelper>[] = [];
  for (const place of places) {
    const bytes = await wholeMessage(context, place);
    if (bytes === undefined) return;
    tokens.push(await forHelperIn(bytes, place.sender, step));
  }
  const client = helperClient(helper!.url, {
    retryFor: 0,
    patience: PATIENCE_MS,
    mostBytes: ANSWER_BYTES,
    ...context.helpers,
  });
  const answer = await client.links({ schema: 'suffice/link-request@1', study, tokens });
  const bytes = new TextEncoder().encode(JSON.stringify(answer));
  const parts = Math.max(1, Math.ceil(bytes.length / PART_BYTES));
  await inStudy(context, id, async (session) => {
    // A party may have withdrawn while the helper worked, and the answer is about its people, too.
    for (const [k, place] of places.entries())
      if ((await partDigests(session.db, place)) !== asked[k]) return;
    for (let part = 0; part < parts; part++) {
      const body = bytes.slice(part * PART_BYTES, (part + 1) * PART_BYTES);
      await storePart(session, answered, part, parts, body);
    }
  });
}
