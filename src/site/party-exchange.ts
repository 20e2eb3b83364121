import { Refusal } from '../protocol/refusal.ts';
import type { RingVector } from '../statistic/ring.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import {
  checkedKeys,
  type ExchangeTerms,
  messageBytes,
  partyKeysMessage,
} from '../vertical/exchange-messages.ts';
import type { LinkedPart } from '../vertical/linked-part.ts';
import { columnsMessages, pairShares } from '../vertical/party-columns.ts';
import { gridColumns, type PartyRows } from '../vertical/party-rows.ts';
import { partyShare } from '../vertical/party-share.ts';
import { newPartyState, type PartyState, partyStateIn } from '../vertical/party-state.ts';
import { partyModel, type VerticalStudy } from '../vertical/vertical-study.ts';
import { noteSent, type PartyExchange, receiveFromAll, sendMessage } from './exchange-mail.ts';
import { linkByPoints } from './link-by-points.ts';
import { linkByTokens } from './link-by-tokens.ts';

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
  const begun = await stateOf(exchange, study);
  await sendMessage(exchange, 'keys', '', messageBytes(partyKeysMessage(begun, key)));
  const known = checkedKeys(terms, await receiveFromAll(exchange, 'keys', study.parties));
  const link = study.columnsAt.linkage === 'ecdh' ? linkByPoints : linkByTokens;
  const { part, set, order, ...linking } = await link({ exchange, terms, known, key, rows }, begun);
  let { state } = linking;
  const statistic = await sums(order, part);
  const own = partyModel(study, site);
  const columns = gridColumns(own, rows, order, (place) => study.columns[place].shift);
  const linked = { terms, state, boxes: known.boxes, part, set, columns };
  for (const [to, bytes] of columnsMessages(linked)) {
    state = await noteSent(exchange, state, `columns ${to}`, bytes);
    await sendMessage(exchange, 'columns', to, bytes);
  }
  const others = study.parties.filter((party) => party !== site);
  const received = await receiveFromAll(exchange, 'columns', others);
  const share = partyShare(study, own, statistic, pairShares(linked, received));
  // Two shares of the same masks, for two columns of another party, would tell the masks by their difference.
  const bytes = new Uint8Array(share.buffer, share.byteOffset, share.byteLength);
  await noteSent(exchange, state, 'share', bytes, 'the columns of another party have changed');
  return { part, order, share };
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
