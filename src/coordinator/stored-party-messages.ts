import type { Agreement } from '../federate.ts';
import type { PartyStep } from '../protocol/party-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { digestBytes } from '../study/digest.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import { refuseLongMessage } from './party-limits.ts';
import { isCollecting, type StudySession } from './study-session.ts';

/** Stands for everybody, or for the helper. */
export const NOBODY = '';

/** Where and by whom a message was sent. */
export interface MessagePlace {
  readonly study: string;
  readonly step: PartyStep;
  readonly sender: string;
  readonly receiver: string;
}

/** Stores a part of a message; the same part again is the same message. `agreed` bounds what a party sends. */
export async function storePart(
  session: StudySession,
  place: MessagePlace,
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

type Database = CoordinatorContext['store']['db'] | StudySession['db'];

async function partsThere(
  db: Database,
  { study, step, sender, receiver }: MessagePlace,
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

/** The digests of all parts of a message, which say whether it is still the same. */
export async function partDigests(
  db: Database,
  { study, step, sender, receiver }: MessagePlace,
): Promise<string> {
  const rows = await db
    .selectFrom('party_messages')
    .select('digest')
    .where('study', '=', study)
    .where('step', '=', step)
    .where('sender', '=', sender)
    .where('receiver', '=', receiver)
    .orderBy('part')
    .execute();
  return rows.map(({ digest }) => digest).join();
}

/** Parts of a message, if all are there; else 0. */
export async function wholeParts(
  { store }: CoordinatorContext,
  place: MessagePlace,
): Promise<number> {
  const there = await partsThere(store.db, place);
  return there.length > 0 && there.length === there[0].parts ? there.length : 0;
}

/** The bytes of a message; undefined until all of it is there. */
export async function wholeMessage(
  context: CoordinatorContext,
  place: MessagePlace,
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
