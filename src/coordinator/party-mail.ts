import type { ColumnsAt } from '../aggregation/aggregation.ts';
import type { Agreement } from '../federate.ts';
import { helperClient } from '../protocol/helper-client.ts';
import {
  type ForHelper,
  PART_BYTES,
  type PartyMail,
  type PartyPart,
  type PartyStep,
} from '../protocol/party-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { Sealed } from '../protocol/signature.ts';
import { digestBytes } from '../study/digest.ts';
import type { Linkage } from '../study/partition.ts';
import { fromBase64, toBase64 } from '../text/base64.ts';
import { boundedJson } from '../text/bounded-json.ts';
import { notAllowed, requireSite } from './access.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { refuseLongMessage } from './party-limits.ts';
import { inStudy, isCollecting, type StudySession } from './study-session.ts';

/** Stands for everybody, or for the helper. */
const NOBODY = '';

/** Where and by whom a message was sent. */
interface Place {
  readonly study: string;
  readonly step: PartyStep;
  readonly sender: string;
  readonly receiver: string;
}

/** Steps whose messages are for one other party. */
const toOne = new Set<PartyStep>(['points', 'doubled', 'columns']);

/** Steps in which parties send, by how rows are linked. */
const sentBy: Readonly<Record<Linkage, readonly PartyStep[]>> = {
  hmac: ['keys', 'secret', 'tokens', 'columns'],
  ecdh: ['keys', 'points', 'doubled', 'count', 'columns'],
};

/** Steps whose messages are for the helper, by how rows are linked. */
const helperStep: Readonly<Record<Linkage, PartyStep>> = { hmac: 'tokens', ecdh: 'count' };

/** Stores a part of a party's message. The coordinator hands messages on and reads none: they are signed, and encrypted to others. */
export async function sendPartyPart(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  { step, to, part, parts, body }: PartyPart,
): Promise<PartyMail> {
  const sender = requireSite(caller, id);
  const agreed = await context.agreed(id);
  const { parties, linkage } = requireParties(agreed);
  const names = Object.keys(parties);
  const fits =
    sentBy[linkage].includes(step) &&
    (toOne.has(step) ? names.includes(to) && to !== sender : to === NOBODY);
  if (!names.includes(sender) || !fits || part >= parts) {
    throw notAllowed('the message has no place among those of the parties');
  }
  const bytes = fromBase64(body);
  if (bytes.length > PART_BYTES || (part < parts - 1 && bytes.length !== PART_BYTES)) {
    throw new Refusal(
      'unprocessable',
      `a part of a message has ${PART_BYTES} bytes, and the last one at most as many`,
      'cut the message into such parts',
    );
  }
  const place = { study: id, step, sender, receiver: to };
  await inStudy(context, id, (session) => storePart(session, place, part, parts, bytes, agreed));
  return { schema: 'suffice/party-mail@1', step, parts: await wholeParts(context, place) };
}

async function storePart(
  session: StudySession,
  place: Place,
  part: number,
  parts: number,
  body: Uint8Array,
  agreed?: Agreement,
): Promise<void> {
  const { db } = session;
  const digest = digestBytes(body);
  const known = await db
    .selectFrom('party_messages')
    .select(['part', 'parts', 'digest'])
    .where('study', '=', place.study)
    .where('step', '=', place.step)
    .where('sender', '=', place.sender)
    .where('receiver', '=', place.receiver)
    .execute();
  const same = known.find((one) => Number(one.part) === part);
  if (same?.digest === digest && Number(same.parts) === parts) return;
  if (same !== undefined || known.some((one) => Number(one.parts) !== parts)) {
    throw new Refusal(
      'conflict',
      'the party has sent another message of this step before',
      'go on with the folder and the file that it was sent from, or ask for a new study',
    );
  }
  if (!isCollecting(session.study.state)) {
    throw new Refusal('conflict', 'the study has closed', 'ask the analyst to reopen it');
  }
  if (known.length === 0 && agreed !== undefined)
    await refuseLongMessage(db, agreed, { ...place, parts });
  await db
    .insertInto('party_messages')
    .values({ ...place, part, parts, digest, body })
    .execute();
  const { length } = await partsThere(db, place);
  if (length === parts) session.record('party-message', { site: place.sender, step: place.step });
}

/** A part of a message to the caller; of the helper's answer, which is asked for once all tokens are there. */
export async function readPartyPart(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  step: PartyStep,
  from: string,
  part: number,
): Promise<PartyMail> {
  const reader = requireSite(caller, id);
  const agreed = await context.agreed(id);
  const columnsAt = requireParties(agreed);
  if (!Object.hasOwn(columnsAt.parties, reader)) {
    throw notAllowed('only the parties of the study read their messages');
  }
  const isOwn = from === reader;
  const place: Place = {
    ...{ study: id, step },
    sender: step === 'links' ? NOBODY : from,
    receiver: toOne.has(step) ? reader : NOBODY,
  };
  if (step === 'links') {
    // One question at a time: each takes all tokens into memory.
    await context.store.alone(`links:${id}`, () => askLinks(context, id, agreed, columnsAt));
  }
  const parts = await wholeParts(context, place);
  const mail: PartyMail = { schema: 'suffice/party-mail@1', step, parts };
  // Some messages are for the helper; whether its own has arrived, a party may know.
  const isHelpers = step === helperStep[columnsAt.linkage];
  if (parts === 0 || (isHelpers && !isOwn)) return { ...mail, parts: 0 };
  const row = await context.store.db
    .selectFrom('party_messages')
    .select('body')
    .where('study', '=', id)
    .where('step', '=', step)
    .where('sender', '=', place.sender)
    .where('receiver', '=', place.receiver)
    .where('part', '=', part)
    .executeTakeFirst();
  return row === undefined ? mail : { ...mail, body: toBase64(new Uint8Array(row.body)) };
}

function requireParties({ aggregation: { columnsAt } }: Agreement): ColumnsAt {
  if (columnsAt?.helper !== undefined && columnsAt.roster !== undefined) return columnsAt;
  throw new Refusal(
    'conflict',
    columnsAt === undefined
      ? 'every site of this study has all columns'
      : 'the partition of this study has no roster and no helper, so its parties cannot exchange anything',
    columnsAt === undefined
      ? 'send the contribution only'
      : 'make the study again, with the keys of its parties and of a helper',
  );
}

type Database = CoordinatorContext['store']['db'] | StudySession['db'];

async function partsThere(
  db: Database,
  { study, step, sender, receiver }: Place,
): Promise<readonly { readonly part: number; readonly parts: number }[]> {
  const rows = await db
    .selectFrom('party_messages')
    .select(['part', 'parts'])
    .where('study', '=', study)
    .where('step', '=', step)
    .where('sender', '=', sender)
    .where('receiver', '=', receiver)
    .execute();
  return rows.map(({ part, parts }) => ({ part: Number(part), parts: Number(parts) }));
}

/** Parts of a message, if all are there; else 0. */
async function wholeParts({ store }: CoordinatorContext, place: Place): Promise<number> {
  const there = await partsThere(store.db, place);
  return there.length > 0 && there.length === there[0].parts ? there.length : 0;
}

async function wholeMessage(
  context: CoordinatorContext,
  place: Place,
): Promise<Uint8Array | undefined> {
  if ((await wholeParts(context, place)) === 0) return undefined;
  const rows = await context.store.db
    .selectFrom('party_messages')
    .select('body')
    .where('study', '=', place.study)
    .where('step', '=', place.step)
    .where('sender', '=', place.sender)
    .where('receiver', '=', place.receiver)
    .orderBy('part')
    .execute();
  const all = new Uint8Array(rows.reduce((sum, { body }) => sum + body.length, 0));
  let at = 0;
  for (const { body } of rows) {
    all.set(new Uint8Array(body), at);
    at += body.length;
  }
  return all;
}

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

/** Asks the helper to link or to deal, once the messages of all parties to it are there, and stores its answer. Does nothing before, or if it is stored. */
async function askLinks(
  context: CoordinatorContext,
  id: string,
  { study }: Agreement,
  { parties, helper, linkage }: ColumnsAt,
): Promise<void> {
  const answered = { study: id, step: 'links', sender: NOBODY, receiver: NOBODY } as const;
  if ((await wholeParts(context, answered)) > 0) return;
  const tokens: Sealed<ForHelper>[] = [];
  const step = helperStep[linkage];
  for (const sender of Object.keys(parties)) {
    const place = { study: id, step, sender, receiver: NOBODY } as const;
    const bytes = await wholeMessage(context, place);
    if (bytes === undefined) return;
    tokens.push(await forHelperIn(bytes, sender, step));
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
    for (let part = 0; part < parts; part++) {
      const body = bytes.slice(part * PART_BYTES, (part + 1) * PART_BYTES);
      await storePart(session, answered, part, parts, body);
    }
  });
}
