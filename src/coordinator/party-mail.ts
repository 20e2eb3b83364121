import type { ColumnsAt } from '../aggregation/aggregation.ts';
import type { Agreement } from '../federate.ts';
import {
  PART_BYTES,
  type PartyMail,
  type PartyPart,
  type PartyStep,
} from '../protocol/party-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { Linkage } from '../study/partition.ts';
import { fromBase64, toBase64 } from '../text/base64.ts';
import { notAllowed, requireSite } from './access.ts';
import { askLinks, helperStep } from './ask-links.ts';
import type { Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { type MessagePlace, NOBODY, storePart, wholeParts } from './stored-party-messages.ts';
import { inStudy, isCollecting } from './study-session.ts';

/** Steps whose messages are for one other party. */
const toOne = new Set<PartyStep>(['points', 'doubled', 'columns']);

/** Steps in which parties send, by how rows are linked. */
const sentBy: Readonly<Record<Linkage, readonly PartyStep[]>> = {
  hmac: ['keys', 'secret', 'tokens', 'columns'],
  ecdh: ['keys', 'points', 'doubled', 'count', 'columns'],
};

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
  const place: MessagePlace = {
    ...{ study: id, step },
    sender: step === 'links' ? NOBODY : from,
    receiver: toOne.has(step) ? reader : NOBODY,
  };
  if (step === 'links') {
    // One question at a time: each takes all tokens into memory.
    await context.store.alone(`links:${id}`, () => askLinks(context, id, agreed, columnsAt));
  }
  const parts = await wholeParts(context, place);
  if (parts === 0) await refuseClosed(context, id);
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

/** Refuses to let a party wait for what can no longer come. */
async function refuseClosed({ store }: CoordinatorContext, id: string): Promise<void> {
  const { state } = await store.db
    .selectFrom('studies')
    .select('state')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  if (isCollecting(state)) return;
  throw new Refusal(
    'conflict',
    'the study has closed, and this message has not come',
    'ask the analyst to reopen it',
  );
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
