import type { StudyClient } from '../protocol/client.ts';
import { PART_BYTES, type PartyStep } from '../protocol/party-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { RingVector } from '../statistic/ring.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import { digestBytes } from '../study/digest.ts';
import { fromBase64, toBase64 } from '../text/base64.ts';
import {
  checkedKeys,
  type ExchangeTerms,
  linkedPart,
  linkSecret,
  messageBytes,
  partyKeysMessage,
  secretMessage,
  tokensMessage,
} from '../vertical/exchange-messages.ts';
import type { LinkedPart } from '../vertical/linked-part.ts';
import { offeredTokens } from '../vertical/party.ts';
import { columnsMessages, pairShares } from '../vertical/party-columns.ts';
import { gridColumns, type PartyRows } from '../vertical/party-rows.ts';
import { partyShare } from '../vertical/party-share.ts';
import { newPartyState, type PartyState, partyStateIn } from '../vertical/party-state.ts';
import { partyModel, type VerticalStudy } from '../vertical/vertical-study.ts';
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
  readonly doing: 'sending' | 'waiting' | 'receiving';
  /** The party that the message is to or from; empty where it is for all, or between this party and the helper. */
  readonly party: string;
  /** Parts of the message that were sent or received, and all of them; both 0 while it waits. */
  readonly done: number;
  readonly parts: number;
}

/** What a party has after the exchange: its share of the total. */
export interface ExchangedParty {
  readonly part: LinkedPart;
  /** The party's rows in the total. */
  readonly order: Uint32Array;
  readonly share: RingVector;
}

/** Who takes part in a study; refuses one that names no keys, so that nobody could check a message. */
export function exchangeTerms(study: VerticalStudy): ExchangeTerms {
  const { roster, helper } = study.columnsAt;
  if (roster !== undefined && helper !== undefined) return { study, roster, helper };
  throw new Refusal(
    'conflict',
    'the partition of this study has no roster and no helper, so its parties cannot exchange anything; nothing was read and nothing was sent',
    'ask the analyst to make the study again, with the keys of its parties and of a helper',
  );
}

/**
 * Links rows with the other parties and exchanges masked columns; waits for the others. `sums` gets the linked rows before any column
 * leaves: it returns the party's own sums, or throws to stop.
 */
export async function exchangeColumns(
  exchange: PartyExchange,
  study: VerticalStudy,
  rows: PartyRows,
  sums: (order: Uint32Array, part: LinkedPart) => Promise<LinearStatistic>,
): Promise<ExchangedParty> {
  const { site } = exchange.membership;
  const terms = exchangeTerms(study);
  const key = await exchange.store.key();
  let state = await stateOf(exchange, study);
  await send(exchange, 'keys', '', messageBytes(partyKeysMessage(state, key)));
  const known = checkedKeys(terms, await fromAll(exchange, 'keys', study.parties));
  const [first] = study.parties;
  if (site === first) {
    await send(exchange, 'secret', '', messageBytes(secretMessage(terms, state, known, key)));
  }
  const secret = linkSecret(
    terms,
    state,
    known,
    site === first ? undefined : await receive(exchange, 'secret', first),
  );
  const { tokens, order: offered } = offeredTokens(study, rows, secret);
  const message = messageBytes(tokensMessage(terms, state, known, tokens, key));
  state = await toSend(exchange, state, 'tokens', message);
  await send(exchange, 'tokens', '', message);
  const answer = await receive(exchange, 'links', site);
  const { part, set } = linkedPart(terms, state, tokens.rows, answer);
  const order = part.rows.map((place) => offered[place]);
  const statistic = await sums(order, part);
  const own = partyModel(study, site);
  const columns = gridColumns(own, rows, order, (place) => study.columns[place].shift);
  const linked = { terms, state, boxes: known.boxes, part, set, columns };
  for (const [to, bytes] of columnsMessages(linked)) {
    state = await toSend(exchange, state, `columns ${to}`, bytes);
    await send(exchange, 'columns', to, bytes);
  }
  const others = study.parties.filter((party) => party !== site);
  const received = await fromAll(exchange, 'columns', others);
  return { part, order, share: partyShare(study, own, statistic, pairShares(linked, received)) };
}

async function stateOf(
  { store, membership: { site } }: PartyExchange,
  { digest }: VerticalStudy,
): Promise<PartyState> {
  if (store.keepMasks === undefined)
    throw new RangeError('an exchange needs a store that keeps it');
  const text = await store.masks?.(digest, site);
  if (text === undefined) {
    const state = newPartyState(digest, site);
    await store.keepMasks(digest, site, JSON.stringify(state));
    return state;
  }
  const state = partyStateIn(text, digest, site);
  if (state !== undefined) return state;
  throw new Refusal(
    'conflict',
    'what this party keeps of the study cannot be read',
    'restore the folder of the site from a backup, or ask for a new study',
  );
}

/** Notes what is going to be sent, before it is sent; refuses something else in its place: two texts under one key would tell their difference. */
async function toSend(
  { store, membership: { site } }: PartyExchange,
  state: PartyState,
  name: string,
  bytes: Uint8Array,
): Promise<PartyState> {
  const digest = digestBytes(bytes);
  const before = state.sent[name];
  if (before === digest) return state;
  if (before !== undefined) {
    throw new Refusal(
      'conflict',
      'the file has changed since this party sent its first message; nothing more was sent',
      'give the file as it was, or ask for a new study',
    );
  }
  const next = { ...state, sent: { ...state.sent, [name]: digest } };
  await store.keepMasks?.(state.study, site, JSON.stringify(next));
  return next;
}

/** Sends a message in parts. */
async function send(
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

async function fromAll(
  exchange: PartyExchange,
  step: PartyStep,
  parties: readonly string[],
): Promise<Map<string, Uint8Array>> {
  const all = new Map<string, Uint8Array>();
  for (const party of parties) all.set(party, await receive(exchange, step, party));
  return all;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/** Waits until a message is there, and puts its parts together. */
async function receive(
  { client, notice, progress, signal, membership }: PartyExchange,
  step: PartyStep,
  from: string,
): Promise<Uint8Array> {
  const party = from === membership.site ? '' : from;
  progress?.({ step, doing: 'waiting', party, done: 0, parts: 0 });
  let mail = await client.party(step, from, 0);
  if (mail.parts === 0)
    notice(
      `waiting for ${waitingFor[step](from)}; you can stop here and run the same command again`,
    );
  for (let wait = FIRST_PAUSE_MS; mail.parts === 0; wait = Math.min(LONGEST_PAUSE_MS, 1.5 * wait)) {
    await pause(wait, signal);
    mail = await client.party(step, from, 0);
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

/** Waits; ends at once if the signal stops it. */
function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal?.aborted) stop();
    else signal?.addEventListener('abort', stop, { once: true });
  });
}

function lostPart(step: PartyStep): Refusal {
  return new Refusal(
    'conflict',
    `the coordinator has lost a part of the ${step}; nothing more was sent`,
    'ask the operator of the coordinator',
  );
}
