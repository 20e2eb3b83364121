import type { Study } from '../study/study.ts';
import type { Sealed } from './signature.ts';

/**
 * What parties with different columns send before they contribute; `links` is the helper's answer. By tokens: keys, secret, tokens, links,
 * columns. By points: keys, points, doubled, count, links, columns.
 */
export const partySteps = [
  'keys',
  'secret',
  'tokens',
  'points',
  'doubled',
  'count',
  'links',
  'columns',
] as const;

export type PartyStep = (typeof partySteps)[number];

/** A party's key for one study, made for it alone. The party signs it with its key of the roster. */
export interface PartyKeys {
  readonly schema: 'suffice/party-keys@1';
  readonly study: string;
  readonly party: string;
  /** X25519 public key: everything that this party reads is encrypted to it. */
  readonly box: string;
}

/** The secret of the tokens, from the first party, encrypted to each other one. */
export interface PartySecret {
  readonly schema: 'suffice/party-secret@1';
  readonly study: string;
  readonly party: string;
  /** Digest of the keys of all parties, as the first one saw them. */
  readonly keys: string;
  readonly secrets: Readonly<Record<string, string>>;
}

/** A party's tokens, encrypted to the helper. */
export interface PartyTokens {
  readonly schema: 'suffice/party-tokens@1';
  readonly study: string;
  readonly party: string;
  readonly keys: string;
  readonly box: string;
  /** Base64. */
  readonly body: string;
}

/** How many people a party has linked by points, and which, as a digest; encrypted to the helper. */
export interface PartyCount {
  readonly schema: 'suffice/party-count@1';
  readonly study: string;
  readonly party: string;
  readonly keys: string;
  readonly box: string;
  /** Base64. */
  readonly body: string;
}

/** What a party sends to the helper. */
export type ForHelper = PartyTokens | PartyCount;

/** The helper's answer: for each party, encrypted to it, its linked rows and its random numbers. */
export interface LinkAnswer {
  readonly schema: 'suffice/link-answer@1';
  readonly study: string;
  /** Digest of the tokens that it is about. */
  readonly set: string;
  readonly answers: Readonly<Record<string, string>>;
}

/** Asks a helper to link the rows of all parties, or to deal for those that they have linked. */
export interface LinkRequest {
  readonly schema: 'suffice/link-request@1';
  readonly study: Study;
  readonly tokens: readonly Sealed<ForHelper>[];
}

/** Most bytes of one part of a message. */
export const PART_BYTES: number = 2 ** 21;

/** One part of a party's message, which the coordinator keeps and hands on. */
export interface PartyPart {
  readonly schema: 'suffice/party-part@1';
  readonly step: PartyStep;
  /** The party that reads it; empty where all do, or the helper. */
  readonly to: string;
  readonly part: number;
  readonly parts: number;
  /** Base64. */
  readonly body: string;
}

/** What the coordinator has of a message. */
export interface PartyMail {
  readonly schema: 'suffice/party-mail@1';
  readonly step: PartyStep;
  /** Parts of the whole message; 0 until all of it is there. */
  readonly parts: number;
  /** The part that was asked for, in base64, once the message is whole. */
  readonly body?: string;
}
