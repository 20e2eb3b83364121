import type { SigningKey } from '../protocol/signature.ts';
import {
  type ExchangeTerms,
  linkedPart,
  linkSecret,
  messageBytes,
  type PartyBoxes,
  secretMessage,
  tokensMessage,
} from '../vertical/exchange-messages.ts';
import type { LinkedPart } from '../vertical/linked-part.ts';
import { offeredTokens } from '../vertical/party.ts';
import type { PartyRows } from '../vertical/party-rows.ts';
import type { PartyState } from '../vertical/party-state.ts';
import { noteSent, type PartyExchange, receiveMessage, sendMessage } from './exchange-mail.ts';

/** What a party needs to link its rows with those of others. */
export interface Linking {
  readonly exchange: PartyExchange;
  readonly terms: ExchangeTerms;
  readonly known: PartyBoxes;
  readonly key: SigningKey;
  readonly rows: PartyRows;
}

/** The linked rows of a party. */
export interface LinkedByParty {
  readonly part: LinkedPart;
  /** Digest of what the parties sent to the helper. */
  readonly set: string;
  /** The party's rows of the linked people, in the common order. */
  readonly order: Uint32Array;
  readonly state: PartyState;
}

/** Links rows by keyed tokens, which the helper compares. */
export async function linkByTokens(
  { exchange, terms, known, key, rows }: Linking,
  begun: PartyState,
): Promise<LinkedByParty> {
  const { study } = terms;
  const { site } = exchange.membership;
  const [first] = study.parties;
  if (site === first) {
    const message = messageBytes(secretMessage(terms, begun, known, key));
    await sendMessage(exchange, 'secret', '', message);
  }
  const secret = linkSecret(
    terms,
    begun,
    known,
    site === first ? undefined : await receiveMessage(exchange, 'secret', first),
  );
  const { tokens, order: offered } = offeredTokens(study, rows, secret);
  const message = messageBytes(tokensMessage(terms, begun, known, tokens, key));
  const state = await noteSent(exchange, begun, 'tokens', message);
  await sendMessage(exchange, 'tokens', '', message);
  const answer = await receiveMessage(exchange, 'links', site);
  const { part, set } = linkedPart(terms, state, tokens.rows, answer);
  return { part, set, order: part.rows.map((place) => offered[place]), state };
}
