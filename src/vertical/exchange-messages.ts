import { x25519PublicKey } from '../cipher/x25519.ts';
import type {
  LinkAnswer,
  PartyCount,
  PartyKeys,
  PartySecret,
  PartyTokens,
} from '../protocol/party-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { isSealed, type Sealed, type SigningKey, sealDocument } from '../protocol/signature.ts';
import { digestJson } from '../study/digest.ts';
import { fromBase64, toBase64 } from '../text/base64.ts';
import { fromBase64url, toBase64url } from '../text/base64url.ts';
import { boundedJson } from '../text/bounded-json.ts';
import { decryptFrom, derivedBytes, encryptTo } from './exchange-keys.ts';
import type { LinkTokens } from './link-tokens.ts';
import { type LinkedPart, linkedPartIn } from './linked-part.ts';
import type { PartyState } from './party-state.ts';
import type { VerticalStudy } from './vertical-study.ts';

/** Who takes part in an exchange, and their public keys. */
export interface ExchangeTerms {
  readonly study: VerticalStudy;
  readonly roster: Readonly<Record<string, string>>;
  readonly helper: { readonly key: string; readonly signingKey: string };
}

/** The name of the helper in the texts that keys are made for; no party can have it. */
export const HELPER = '';

/** Refuses what came through the coordinator. Nothing more leaves the party. */
export function untrusted(problem: string): Refusal {
  return new Refusal(
    'conflict',
    `${problem}; nothing more was sent`,
    'ask the analyst; if everybody is honest, a new study is needed',
  );
}

/** The X25519 secret of a party's key for one study. */
export const secretOf = ({ box }: PartyState): Uint8Array => fromBase64url(box)!;

export function messageBytes(message: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(message));
}

/** A party's key of this study. */
export function partyKeysMessage(state: PartyState, key: SigningKey): Sealed<PartyKeys> {
  const { study, party } = state;
  const box = toBase64url(x25519PublicKey(secretOf(state)));
  return sealDocument<PartyKeys>({ schema: 'suffice/party-keys@1', study, party, box }, key);
}

/** The keys of all parties of a study, and their digest. */
export interface PartyBoxes {
  readonly boxes: Readonly<Record<string, string>>;
  readonly digest: string;
}

/** The keys of all parties, and their digest; refuses one that its party has not signed. */
export function checkedKeys(
  terms: ExchangeTerms,
  messages: ReadonlyMap<string, Uint8Array>,
): PartyBoxes {
  const boxes = Object.fromEntries(
    terms.study.parties.map((party) => [
      party,
      signedBy<PartyKeys>(terms, party, 'suffice/party-keys@1', messages.get(party)).box,
    ]),
  );
  return { boxes, digest: digestJson({ study: terms.study.digest, boxes }) };
}

/** A message that a party has signed for this study. */
export function signedBy<
  M extends { readonly schema: string; readonly study: string; readonly party: string },
>(
  { study, roster }: ExchangeTerms,
  party: string,
  schema: M['schema'],
  bytes: Uint8Array | undefined,
): Sealed<M> {
  const message = bytes && parsed<Sealed<M>>(bytes);
  const isOwn =
    message?.schema === schema &&
    message.study === study.digest &&
    message.party === party &&
    message.seal?.key === roster[party] &&
    isSealed(message);
  if (message !== undefined && isOwn) return message;
  throw untrusted(`a message of ${party} is not signed by ${party}`);
}

function parsed<M>(bytes: Uint8Array): M | undefined {
  try {
    return boundedJson(new TextDecoder().decode(bytes)) as M;
  } catch {
    return undefined;
  }
}

/** At the first party: the secret of the tokens for all others. It follows from the state. */
export function secretMessage(
  { study }: ExchangeTerms,
  state: PartyState,
  { boxes, digest }: PartyBoxes,
  key: SigningKey,
): Sealed<PartySecret> {
  const others = study.parties.filter((party) => party !== state.party);
  const secret = ownLinkSecret(state, digest);
  const secrets = Object.fromEntries(
    others.map((to) => {
      const between = { study: study.digest, from: state.party, to };
      const use = { use: 'secret', keys: digest } as const;
      const sealed = encryptTo(secretOf(state), boxes[to], between, use, secret);
      if (sealed === undefined) throw untrusted(`the key of ${to} is none`);
      return [to, toBase64(sealed)];
    }),
  );
  return sealDocument<PartySecret>(
    {
      schema: 'suffice/party-secret@1',
      study: study.digest,
      party: state.party,
      keys: digest,
      secrets,
    },
    key,
  );
}

function ownLinkSecret(state: PartyState, keys: string): Uint8Array {
  return derivedBytes(secretOf(state), `suffice/vertical@1 tokens ${state.study} ${keys}`);
}

/** The secret of the tokens: the first party makes it, the others read it. The helper never learns it. */
export function linkSecret(
  terms: ExchangeTerms,
  state: PartyState,
  { boxes, digest }: PartyBoxes,
  message: Uint8Array | undefined,
): Uint8Array {
  const [first] = terms.study.parties;
  if (state.party === first) return ownLinkSecret(state, digest);
  const { keys, secrets } = signedBy<PartySecret>(terms, first, 'suffice/party-secret@1', message);
  if (keys !== digest) throw untrusted('the parties were shown different keys');
  const between = { study: terms.study.digest, from: first, to: state.party };
  const use = { use: 'secret', keys: digest } as const;
  const sealed = bytesIn(secrets[state.party]);
  const secret = sealed && decryptFrom(secretOf(state), boxes[first], between, use, sealed);
  if (secret?.length === 32) return secret;
  throw untrusted(`what ${first} encrypted to this party cannot be opened`);
}

function bytesIn(text: unknown): Uint8Array | undefined {
  try {
    return typeof text === 'string' ? fromBase64(text) : undefined;
  } catch {
    return undefined;
  }
}

/** A party's tokens, for the helper alone. */
export function tokensMessage(
  terms: ExchangeTerms,
  state: PartyState,
  keys: PartyBoxes,
  tokens: LinkTokens,
  key: SigningKey,
): Sealed<PartyTokens> {
  const parts = forHelper(terms, state, keys, 'tokens', tokens.bytes);
  return sealDocument<PartyTokens>({ schema: 'suffice/party-tokens@1', ...parts }, key);
}

/** How many people a party has linked by points, for the helper alone. */
export function countMessage(
  terms: ExchangeTerms,
  state: PartyState,
  keys: PartyBoxes,
  count: Uint8Array,
  key: SigningKey,
): Sealed<PartyCount> {
  const parts = forHelper(terms, state, keys, 'count', count);
  return sealDocument<PartyCount>({ schema: 'suffice/party-count@1', ...parts }, key);
}

function forHelper(
  { study, helper }: ExchangeTerms,
  state: PartyState,
  { digest, boxes }: PartyBoxes,
  use: 'tokens' | 'count',
  plain: Uint8Array,
): Omit<PartyTokens, 'schema'> {
  const between = { study: study.digest, from: state.party, to: HELPER };
  const sealed = encryptTo(secretOf(state), helper.key, between, { use, keys: digest }, plain);
  if (sealed === undefined) throw untrusted('the key of the helper is none');
  return {
    ...{ study: study.digest, party: state.party, keys: digest },
    ...{ box: boxes[state.party], body: toBase64(sealed) },
  };
}

/** What a party reads in the helper's answer; refuses one that the helper has not signed, or with too few people. */
export function linkedPart(
  { study, helper }: ExchangeTerms,
  state: PartyState,
  offered: number,
  message: Uint8Array,
): { readonly part: LinkedPart; readonly set: string } {
  const answer = parsed<Sealed<LinkAnswer>>(message);
  const isHelpers =
    answer?.schema === 'suffice/link-answer@1' &&
    answer.study === study.digest &&
    answer.seal?.key === helper.signingKey &&
    isSealed(answer);
  if (answer === undefined || !isHelpers) throw untrusted('the answer is not signed by the helper');
  const between = { study: study.digest, from: HELPER, to: state.party };
  const use = { use: 'links', set: answer.set } as const;
  const sealed = bytesIn(answer.answers[state.party]);
  const plain = sealed && decryptFrom(secretOf(state), helper.key, between, use, sealed);
  const part = plain && linkedPartIn(plain, offered);
  if (part === undefined) throw untrusted('the helper’s answer to this party cannot be opened');
  if (part.people < study.fewest) throw untrusted('the helper has linked too few people');
  return { part, set: answer.set };
}
