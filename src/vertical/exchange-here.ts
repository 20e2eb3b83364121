import type { Collected } from '../aggregation/aggregation.ts';
import { x25519PublicKey } from '../cipher/x25519.ts';
import { DataError } from '../data-error.ts';
import { FailureError } from '../failure.ts';
import { collect, contribution } from '../federate.ts';
import { createSigningKey } from '../protocol/signature.ts';
import { newNonce } from '../random/nonce.ts';
import type { Contribution } from '../statistic/envelope.ts';
import { fromBase64url, toBase64url } from '../text/base64url.ts';
import {
  checkedKeys,
  type ExchangeTerms,
  messageBytes,
  partyKeysMessage,
} from './exchange-messages.ts';
import { linkHere } from './link-here.ts';
import type { LinkedPart } from './linked-part.ts';
import { keyCounts, ownSums, refuseDuplicates } from './party.ts';
import { columnsMessages, type LinkedParty, pairShares } from './party-columns.ts';
import { gridColumns, type PartyRows } from './party-rows.ts';
import { partyShare } from './party-share.ts';
import { newPartyState } from './party-state.ts';
import { partyModel, type VerticalStudy } from './vertical-study.ts';

/** What came of linking and adding in one process. */
export interface ExchangedHere {
  readonly collected: Collected;
  readonly contributions: readonly Contribution[];
  readonly people: number;
  readonly parties: readonly {
    readonly name: string;
    readonly rows: number;
    readonly dropped: number;
    readonly passes: LinkedPart['passes'];
    /** Bytes that the party sent. */
    readonly bytes: number;
  }[];
}

/**
 * All parties and the helper in one process, with keys made for it: every message is made, sealed, opened and checked as between
 * organisations. For one owner of all rows, for tests and for benchmarks.
 */
export function exchangeHere(
  study: VerticalStudy,
  rows: ReadonlyMap<string, PartyRows>,
): ExchangedHere {
  const { parties, digest, agreed, columns } = study;
  const keys = new Map(parties.map((party) => [party, createSigningKey()]));
  const helper = {
    secret: fromBase64url(newNonce())!,
    signing: createSigningKey(),
    seeds: fromBase64url(newNonce())!,
  };
  const terms: ExchangeTerms = {
    study,
    roster: Object.fromEntries([...keys].map(([party, { key }]) => [party, key])),
    helper: { key: toBase64url(x25519PublicKey(helper.secret)), signingKey: helper.signing.key },
  };
  const states = parties.map((party) => newPartyState(digest, party));
  for (const party of parties) {
    const own = rowsOf(rows, party);
    refuseDuplicates(study, keyCounts(study, own), own.file);
  }
  const keyMessages = new Map(
    states.map((state) => [
      state.party,
      messageBytes(partyKeysMessage(state, keys.get(state.party)!)),
    ]),
  );
  const known = checkedKeys(terms, keyMessages);
  const here = {
    ...{ terms, helper, known },
    parties: states.map((state) => ({
      state,
      key: keys.get(state.party)!,
      rows: rowsOf(rows, state.party),
    })),
  };
  const links = linkHere(here);
  const linked = states.map((state, p): LinkedParty & { readonly order: Uint32Array } => {
    const { part, set, order } = links[p];
    const own = partyModel(study, state.party);
    const values = gridColumns(
      own,
      rowsOf(rows, state.party),
      order,
      (place) => columns[place].shift,
    );
    return { terms, state, boxes: known.boxes, part, set, columns: values, order };
  });
  const sent = new Map(linked.map((party) => [party.state.party, columnsMessages(party)]));
  const contributions = linked.map((party) => {
    const name = party.state.party;
    const received = new Map(
      parties.flatMap((from) => {
        const message = sent.get(from)!.get(name);
        return message === undefined ? [] : [[from, message] as const];
      }),
    );
    const own = partyModel(study, name);
    const { statistic } = ownSums(own, rowsOf(rows, name), party.order);
    const values = partyShare(study, own, statistic, pairShares(party, received));
    const share = { layout: study.layout, values };
    const counts = { rows: party.part.people, dropped: 0, missing: {} };
    return contribution(agreed, name, { ...counts, statistic: share, released: share });
  });
  const collected = collect(agreed, contributions);
  if ('problem' in collected) throw new FailureError('data', collected);
  return {
    collected,
    contributions,
    people: linked[0].part.people,
    parties: linked.map(({ state, part }, p) => {
      const own = rowsOf(rows, state.party);
      const exchanged = [...sent.get(state.party)!.values()];
      const columnBytes = exchanged.reduce((sum, { length }) => sum + length, 0);
      return {
        name: state.party,
        rows: own.block.rows,
        dropped: own.dropped,
        passes: part.passes,
        bytes: columnBytes + links[p].bytes,
      };
    }),
  };
}

function rowsOf(rows: ReadonlyMap<string, PartyRows>, party: string): PartyRows {
  const own = rows.get(party);
  if (own !== undefined) return own;
  throw new DataError(`the rows of ${party} are missing`, {}, 'give the rows of every party');
}
