import type { StudyClient } from '../protocol/client.ts';
import { PART_BYTES, type PartyMail, type PartyStep } from '../protocol/party-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { sleep } from '../protocol/sleep.ts';
import { digestBytes } from '../study/digest.ts';
import { fromBase64, toBase64 } from '../text/base64.ts';
import type { PartyState } from '../vertical/party-state.ts';
import type { JoinNotice, SiteMembership } from './join.ts';
import { waitingFor } from './party-steps.ts';
import type { SiteStore } from './site-store.ts';

/** What a party needs to exchange messages with the others. */
export interface PartyExchange {
  readonly client: Pick<StudyClient, 'party' | 'sendParty'>;
  readonly membership: SiteMembership;
  readonly store: SiteStore;
  readonly notice: JoinNotice;
  /** Hears what the party does now, step by step. */
  progress?(progress: ExchangeProgress): void;
  /** Stops waiting. */
  readonly signal?: AbortSignal;
}

/** What a party does now in an exchange. */
export interface ExchangeProgress {
  readonly step: PartyStep;
  readonly doing: 'sending' | 'waiting' | 'receiving' | 'computing';
  /** The party that the message is to or from; empty where it is for all, or between this party and the helper. */
  readonly party: string;
  /** Parts of the message that were sent or received, or points that were computed, and all of them; both 0 while it waits. */
  readonly done: number;
  readonly parts: number;
}

/** Notes what is going to be sent, before it is sent; refuses something else in its place: two texts under one key would tell their difference. */
export async function noteSent(
  { store, membership: { site } }: PartyExchange,
  state: PartyState,
  name: string,
  bytes: Uint8Array,
  cause: string = 'the file has changed since this party sent its first message',
): Promise<PartyState> {
  const digest = digestBytes(bytes);
  const before = state.sent[name];
  if (before === digest) return state;
  if (before !== undefined) {
    throw new Refusal(
      'conflict',
      `${cause}; nothing more was sent`,
      'give the file as it was, or ask for a new study',
    );
  }
  const next = { ...state, sent: { ...state.sent, [name]: digest } };
  await store.keepMasks?.(state.study, site, JSON.stringify(next));
  return next;
}

/** Sends a message in parts. */
export async function sendMessage(
  { client, progress, signal }: PartyExchange,
  step: PartyStep,
  to: string,
  bytes: Uint8Array,
): Promise<void> {
  const parts = Math.max(1, Math.ceil(bytes.length / PART_BYTES));
  for (let part = 0; part < parts; part++) {
    signal?.throwIfAborted();
    progress?.({ step, doing: 'sending', party: to, done: part, parts });
    const body = toBase64(bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES));
    await client.sendParty({ schema: 'suffice/party-part@1', step, to, part, parts, body });
  }
}

/** Waits for the messages of several parties. */
export async function receiveFromAll(
  exchange: PartyExchange,
  step: PartyStep,
  parties: readonly string[],
): Promise<Map<string, Uint8Array>> {
  const all = new Map<string, Uint8Array>();
  for (const party of parties) all.set(party, await receiveMessage(exchange, step, party));
  return all;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/** Waits until a message is there, and puts its parts together. */
export async function receiveMessage(
  { client, notice, progress, signal, membership }: PartyExchange,
  step: PartyStep,
  from: string,
): Promise<Uint8Array> {
  const party = from === membership.site ? '' : from;
  progress?.({ step, doing: 'waiting', party, done: 0, parts: 0 });
  let cause = waitingFor[step](from);
  const look = async (): Promise<PartyMail> => {
    try {
      return await client.party(step, from, 0);
    } catch (failure) {
      if (!(failure instanceof Refusal) || failure.code !== 'not-yet') throw failure;
      cause = `${waitingFor[step](from)}: ${failure.problem}`;
      return nothingYet(step);
    }
  };
  let shown = '';
  let mail = await look();
  for (let wait = FIRST_PAUSE_MS; mail.parts === 0; wait = Math.min(LONGEST_PAUSE_MS, 1.5 * wait)) {
    if (shown !== cause) {
      notice(`waiting for ${cause}; you can stop here and run the same command again`);
    }
    shown = cause;
    await sleep(wait, signal);
    mail = await look();
  }
  const { parts } = mail;
  const bodies: Uint8Array[] = [];
  for (let part = 0; part < parts; part++) {
    signal?.throwIfAborted();
    progress?.({ step, doing: 'receiving', party, done: part, parts });
    const one = part === 0 ? mail : await client.party(step, from, part);
    if (one.body === undefined) throw lostPart(step);
    bodies.push(fromBase64(one.body));
  }
  const all = new Uint8Array(bodies.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const body of bodies) {
    all.set(body, at);
    at += body.length;
  }
  return all;
}

const nothingYet = (step: PartyStep): PartyMail => ({
  schema: 'suffice/party-mail@1',
  step,
  parts: 0,
});

function lostPart(step: PartyStep): Refusal {
  return new Refusal(
    'conflict',
    `the coordinator has lost a part of the ${step}; nothing more was sent`,
    'ask the operator of the coordinator',
  );
}
