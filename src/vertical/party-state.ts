import { newNonce } from '../random/nonce.ts';
import { boundedJson } from '../text/bounded-json.ts';

/**
 * What a party keeps of an exchange, as JSON. It is stored before each message is sent. Everything that is sent follows from it, the file
 * and the messages of others, so a killed process goes on with the same bytes. It has a secret: it never leaves the party.
 */
export interface PartyState {
  readonly schema: 'suffice/party-state@1';
  readonly study: string;
  readonly party: string;
  /** X25519 secret, as base64url. */
  readonly box: string;
  /** Digests of what was made to be sent: nothing else may be sent in its place. */
  readonly sent: Readonly<Record<string, string>>;
}

/** The state of a party that has sent nothing yet. */
export function newPartyState(study: string, party: string): PartyState {
  return { schema: 'suffice/party-state@1', study, party, box: newNonce(), sent: {} };
}

/** The state in a text of the party's own store; undefined if it is of another study or party, or damaged. */
export function partyStateIn(text: string, study: string, party: string): PartyState | undefined {
  try {
    const state = boundedJson(text) as PartyState;
    const mine = state.study === study && state.party === party;
    return mine && state.schema === 'suffice/party-state@1' ? state : undefined;
  } catch {
    return undefined;
  }
}
