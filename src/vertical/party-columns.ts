import { decryptFrom, encryptTo, keyBetween } from './exchange-keys.ts';
import { type ExchangeTerms, secretOf, untrusted } from './exchange-messages.ts';
import type { LinkedPart } from './linked-part.ts';
import { leftShare, productPad, rightShare, shiftedColumns } from './pair-products.ts';
import { columnBytes, otherIn, type PairRing, pairsWith, productsBytes } from './pair-ring.ts';
import type { GridColumns } from './party-rows.ts';
import type { PairShare } from './party-share.ts';
import type { PartyState } from './party-state.ts';
import { type RingColumn, ringColumn } from './ring-column.ts';

/** A party after the rows are linked. */
export interface LinkedParty {
  readonly terms: ExchangeTerms;
  readonly state: PartyState;
  readonly boxes: Readonly<Record<string, string>>;
  readonly part: LinkedPart;
  readonly set: string;
  /** The party's own columns over the linked people. */
  readonly columns: GridColumns;
}

/** Columns of one party, encrypted to each other party: what is sent are uniform numbers even to the one who can decrypt them. */
export function columnsMessages(party: LinkedParty): ReadonlyMap<string, Uint8Array> {
  const { state, boxes, set } = party;
  return new Map(
    pairsOf(party).map((ring) => {
      const to = otherIn(ring, state.party);
      const { seed } = dealWith(party, ring);
      const plain = shiftedColumns(ring, sideOf(ring, state.party), ownColumns(party, ring), seed);
      const between = { study: state.study, from: state.party, to };
      const sealed = encryptTo(secretOf(state), boxes[to], between, { use: 'columns', set }, plain);
      if (sealed === undefined) throw untrusted(`the key of ${to} is none`);
      return [to, sealed];
    }),
  );
}

/** A party's shares of the products with each other party, from what these have sent. */
export function pairShares(
  party: LinkedParty,
  received: ReadonlyMap<string, Uint8Array>,
): PairShare[] {
  const { state, boxes, set } = party;
  return pairsOf(party).map((ring) => {
    const from = otherIn(ring, state.party);
    const between = { study: state.study, from, to: state.party };
    const sealed = received.get(from);
    const use = { use: 'columns', set } as const;
    const shifted = sealed && decryptFrom(secretOf(state), boxes[from], between, use, sealed);
    if (shifted === undefined) {
      throw untrusted(`what ${from} sent to this party was changed, or is missing`);
    }
    const side = sideOf(ring, state.party);
    const widths = side === 'left' ? ring.rightWidths : ring.leftWidths;
    if (shifted.length !== columnBytes(widths, ring.rows)) {
      throw untrusted(`what ${from} sent to this party has a wrong length`);
    }
    const pad = productPad(ring, padKey(party, ring));
    const deal = dealWith(party, ring);
    const numbers =
      side === 'left'
        ? leftShare(ring, deal, shifted, pad)
        : rightShare(
            ring,
            { ...deal, correction: deal.correction! },
            ownColumns(party, ring),
            shifted,
            pad,
          );
    return { ring, numbers };
  });
}

function sideOf({ left }: PairRing, party: string): 'left' | 'right' {
  return left === party ? 'left' : 'right';
}

function pairsOf({ terms, state, part }: LinkedParty): readonly PairRing[] {
  return pairsWith(terms.study.ringsOf(part.people), state.party);
}

/** The dealer's numbers for a pair; refuses what does not fit the pair. */
function dealWith({ part, state }: LinkedParty, ring: PairRing): LinkedPart['deals'][string] {
  const other = otherIn(ring, state.party);
  const deal = Object.hasOwn(part.deals, other) ? part.deals[other] : undefined;
  const isRight = ring.right === state.party;
  const fits =
    deal?.seed.length === 32 && (!isRight || deal.correction?.length === productsBytes(ring));
  if (deal === undefined || !fits) {
    throw untrusted(`the helper’s numbers for ${other} have a wrong length`);
  }
  return deal;
}

/** The key that left and right share and nobody else: with it the coordinator and the helper together learn only the sum of two shares. */
function padKey({ state, boxes, set }: LinkedParty, ring: PairRing): Uint8Array {
  const between = { study: state.study, from: ring.left, to: ring.right };
  const other = otherIn(ring, state.party);
  const key = keyBetween(secretOf(state), boxes[other], between, { use: 'pad', set });
  if (key === undefined) throw untrusted(`the key of ${other} is none`);
  return key;
}

function ownColumns({ columns, state }: LinkedParty, ring: PairRing): RingColumn[] {
  const isLeft = ring.left === state.party;
  const places = isLeft ? ring.leftColumns : ring.rightColumns;
  const widths = isLeft ? ring.leftWidths : ring.rightWidths;
  return places.map((place, k) => ringColumn(columns.values.get(place)!, widths[k]));
}
