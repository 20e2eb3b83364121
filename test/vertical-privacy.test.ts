import { afterEach, describe, expect, it } from 'vitest';
import { portableStream, useKeyStream } from '../src/cipher/key-stream.ts';
import { x25519PublicKey } from '../src/cipher/x25519.ts';
import { agreement } from '../src/federate.ts';
import { createSigningKey, sealDocument } from '../src/protocol/signature.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import { toBase64url } from '../src/text/base64url.ts';
import {
  checkedKeys,
  type ExchangeTerms,
  linkedPart,
  linkSecret,
  messageBytes,
  partyKeysMessage,
  secretMessage,
  tokensMessage,
} from '../src/vertical/exchange-messages.ts';
import { answerLinks, openTokens } from '../src/vertical/helper-links.ts';
import { linkTokens } from '../src/vertical/link-tokens.ts';
import {
  dealProducts,
  leftShare,
  productPad,
  rightShare,
  shiftedColumns,
} from '../src/vertical/pair-products.ts';
import { type PairRing, pairRings } from '../src/vertical/pair-ring.ts';
import { columnsMessages, type LinkedParty, pairShares } from '../src/vertical/party-columns.ts';
import { newPartyState } from '../src/vertical/party-state.ts';
import { type RingColumn, ringColumn, ringDifference } from '../src/vertical/ring-column.ts';
import { ringProducts } from '../src/vertical/ring-products.ts';
import { verticalStudy } from '../src/vertical/vertical-study.ts';
import { heartStudy } from './vertical-heart.ts';

const ROWS = 40;
/** Two number columns and an indicator at the left, a number and an indicator at the right. */
const [ring]: PairRing[] = pairRings(
  [
    { owner: 'left', bits: 44, shift: 0 },
    { owner: 'left', bits: 44, shift: 0 },
    { owner: 'left', bits: 0, shift: 44 },
    { owner: 'right', bits: 44, shift: 0 },
    { owner: 'right', bits: 0, shift: 44 },
  ],
  ['left', 'right'],
  ROWS,
);

function data(seed: number, widths: readonly number[], bits: readonly number[]): RingColumn[] {
  const words = seededWords(seed);
  return widths.map((width, k) => {
    const value = () =>
      bits[k] === 0
        ? words() & 1
        : ((words() & 0xfff) * 2 ** 32 + words()) * (words() & 1 ? 1 : -1);
    return ringColumn(Float64Array.from({ length: ROWS }, value), width);
  });
}
const leftData = (seed: number) => data(seed, ring.leftWidths, [44, 44, 0]);
const rightData = (seed: number) => data(seed, ring.rightWidths, [44, 0]);
const key = (k: number) => new Uint8Array(32).fill(k);
const noPad = new Array<bigint>(6).fill(0n);

afterEach(() => {
  useKeyStream(portableStream);
});

/** Makes a key's stream begin with these bytes; other keys keep theirs. */
function streamOf(chosen: Uint8Array, bytes: Uint8Array): void {
  useKeyStream((asked) => {
    const real = portableStream(asked);
    if (asked.some((byte, k) => byte !== chosen[k])) return real;
    let at = 0;
    return (count) => {
      const next = new Uint8Array(count);
      next.set(bytes.subarray(at, at + count));
      at += count;
      return next;
    };
  });
}

const bytesOf = (columns: readonly RingColumn[]) => columns.flatMap(({ bytes }) => [...bytes]);

describe('what a party receives is the same for any data of the other', () => {
  it('the shares add up to the products, in rings as narrow as the bounds', () => {
    expect(ring.leftWidths).toEqual([12, 12, 7]);
    const a = leftData(1);
    const b = rightData(2);
    const correction = dealProducts(ring, key(1), key(2));
    const x = shiftedColumns(ring, 'left', a, key(1));
    const y = shiftedColumns(ring, 'right', b, key(2));
    const pad = productPad(ring, key(3));
    const s1 = leftShare(ring, { seed: key(1) }, y, pad);
    const s2 = rightShare(ring, { seed: key(2), correction }, b, x, pad);
    const products = ringProducts(a, b, ring.widthOf);
    products.forEach((product, k) => {
      const width = 8 * ring.widthOf(Math.floor(k / 2), k % 2);
      expect(BigInt.asUintN(width, s1[k] + s2[k])).toBe(product);
    });
  });

  it('the right party: for every other A there is one equally likely mask with the same X and the same R₂', () => {
    const a = leftData(1);
    const other = leftData(7);
    const seed = key(1);
    const x = shiftedColumns(ring, 'left', a, seed);
    const correction = dealProducts(ring, seed, key(2));
    // U' = A' − X, and R₁' = U'ᵀV − R₂: the only masks with which A' looks the same.
    const xColumns = columnsFrom(x, ring.leftWidths);
    const mask = other.map((column, k) => ringDifference(column, xColumns[k]));
    const v = columnsFrom(rightStream(), ring.rightWidths);
    const products = ringProducts(mask, v, ring.widthOf);
    const dealt = numbersFrom(correction);
    const rest = products.map((product, k) => BigInt.asUintN(8 * widthAt(k), product - dealt[k]));
    streamOf(
      seed,
      Uint8Array.from([...bytesOf(mask), ...rest.flatMap((n, k) => numberBytes(n, widthAt(k)))]),
    );
    expect(shiftedColumns(ring, 'left', other, seed)).toEqual(x);
    expect(dealProducts(ring, seed, key(2))).toEqual(correction);
  });

  it('the left party: for every other B there is one equally likely mask with the same Y', () => {
    const y = shiftedColumns(ring, 'right', rightData(2), key(2));
    const other = rightData(9);
    const yColumns = columnsFrom(y, ring.rightWidths);
    const mask = other.map((column, k) => ringDifference(column, yColumns[k]));
    streamOf(key(2), Uint8Array.from(bytesOf(mask)));
    expect(shiftedColumns(ring, 'right', other, key(2))).toEqual(y);
  });

  it('the coordinator and the helper together: any two shares with the same sum are equally likely', () => {
    const b = rightData(2);
    const correction = dealProducts(ring, key(1), key(2));
    const y = shiftedColumns(ring, 'right', b, key(2));
    const x = shiftedColumns(ring, 'left', leftData(1), key(1));
    const bare = leftShare(ring, { seed: key(1) }, y, noPad);
    const shown = bare.map((n, k) => BigInt.asUintN(8 * widthAt(k), n + 12345n));
    // The pad is a key of the two parties alone: one value of it explains each first share, and the sum stays.
    const pad = shown.map((n, k) => n - bare[k]);
    const s1 = leftShare(ring, { seed: key(1) }, y, pad);
    const s2 = rightShare(ring, { seed: key(2), correction }, b, x, pad);
    expect(s1).toEqual(shown);
    const plain = rightShare(ring, { seed: key(2), correction }, b, x, noPad);
    s2.forEach((n, k) => {
      const width = 8 * widthAt(k);
      expect(BigInt.asUintN(width, n + s1[k])).toBe(BigInt.asUintN(width, plain[k] + bare[k]));
    });
  });

  it('bytes of constant columns are uniform: χ² over 255 degrees of freedom', () => {
    const rows = 20_000;
    const [wide] = pairRings(
      [
        { owner: 'a', bits: 44, shift: 0 },
        { owner: 'b', bits: 44, shift: 0 },
      ],
      ['a', 'b'],
      rows,
    );
    for (const value of [0, 2 ** 44, -1]) {
      const column = ringColumn(new Float64Array(rows).fill(value), wide.leftWidths[0]);
      const sent = shiftedColumns(wide, 'left', [column], key(5));
      const counts = new Float64Array(256);
      for (const byte of sent) counts[byte] += 1;
      const expected = sent.length / 256;
      const chi = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
      // Mean 255, SD 22.6: outside 4.5 SD once in 150,000 streams, and the stream is fixed.
      expect(Math.abs(chi - 255)).toBeLessThan(102);
      // The bytes of the columns themselves are far from it.
      const own = new Set(column.bytes);
      expect(own.size).toBeLessThan(4);
    }
  });

  const widthAt = (k: number) => ring.widthOf(Math.floor(k / 2), k % 2);

  function columnsFrom(bytes: Uint8Array, widths: readonly number[]): RingColumn[] {
    let at = 0;
    return widths.map((width) => {
      const from = at;
      at += width * ROWS;
      return { width, bytes: bytes.subarray(from, at) };
    });
  }

  /** V of the right party's seed: what it adds to Y to get B back. */
  function rightStream(): Uint8Array {
    const zeros = ring.rightWidths.map((width) => ({ width, bytes: new Uint8Array(width * ROWS) }));
    const minus = columnsFrom(shiftedColumns(ring, 'right', zeros, key(2)), ring.rightWidths);
    return Uint8Array.from(bytesOf(minus.map((column, k) => ringDifference(zeros[k], column))));
  }

  function numbersFrom(bytes: Uint8Array): bigint[] {
    let at = 0;
    return Array.from({ length: 6 }, (_, k) => {
      let value = 0n;
      for (let b = widthAt(k) - 1; b >= 0; b--) value = (value << 8n) | BigInt(bytes[at + b]);
      at += widthAt(k);
      return value;
    });
  }

  function numberBytes(value: bigint, width: number): number[] {
    return Array.from({ length: width }, (_, b) => Number((value >> BigInt(8 * b)) & 255n));
  }
});

describe('a relay that changes anything is noticed, and the party stops', () => {
  const study = verticalStudy(agreement(heartStudy));
  const keys = { hospital: createSigningKey(), registry: createSigningKey() };
  const helper = { secret: key(4), signing: createSigningKey(), seeds: key(6) };
  const terms: ExchangeTerms = {
    study,
    roster: { hospital: keys.hospital.key, registry: keys.registry.key },
    helper: { key: toBase64url(x25519PublicKey(helper.secret)), signingKey: helper.signing.key },
  };
  const [a, b] = ['hospital', 'registry'].map((party) => newPartyState(study.digest, party));
  const messages = new Map([
    ['hospital', messageBytes(partyKeysMessage(a, keys.hospital))],
    ['registry', messageBytes(partyKeysMessage(b, keys.registry))],
  ]);
  const known = checkedKeys(terms, messages);
  const secret = messageBytes(secretMessage(terms, a, known, keys.hospital));
  const ids = (shared: Uint8Array) => linkTokens(shared, 20, 1, (_, row) => [`p${row}`]);
  const tokens = [
    tokensMessage(terms, a, known, ids(linkSecret(terms, a, known, undefined)), keys.hospital),
    tokensMessage(terms, b, known, ids(linkSecret(terms, b, known, secret)), keys.registry),
  ];
  const opened = openTokens(terms, helper, tokens);
  const answer = 'problem' in opened ? opened : answerLinks(terms, helper, opened);
  const bytes = messageBytes(answer);
  const places = (party: string) =>
    study.columns.flatMap(({ owner }, place) => (owner === party ? [place] : []));
  const linked = (state: typeof a): LinkedParty => ({
    ...{ terms, state, boxes: known.boxes },
    ...linkedPart(terms, state, 20, bytes),
    columns: {
      rows: 20,
      values: new Map(places(state.party).map((place) => [place, new Float64Array(20)])),
    },
  });
  const flipped = (message: Uint8Array) => {
    const other = message.slice();
    other[other.length >> 1] ^= 1;
    return other;
  };

  it('answers, for the honest messages', () => {
    expect(linkedPart(terms, a, 20, bytes).part.people).toBe(20);
    const sent = columnsMessages(linked(b)).get('hospital')!;
    expect(pairShares(linked(a), new Map([['registry', sent]]))).toHaveLength(1);
  });

  it.each([
    [
      'a key of its own in place of a party’s',
      () => {
        const own = newPartyState(study.digest, 'registry');
        const forged = messageBytes(partyKeysMessage(own, createSigningKey()));
        checkedKeys(terms, new Map([...messages, ['registry', forged]]));
      },
    ],
    ['a changed secret', () => linkSecret(terms, b, known, flipped(secret))],
    ['no secret', () => linkSecret(terms, b, known, undefined)],
    ['a changed answer', () => linkedPart(terms, a, 20, flipped(bytes))],
    [
      'an answer signed by somebody else',
      () => {
        const { seal: _, ...document } = answer as never as { seal: object };
        linkedPart(terms, a, 20, messageBytes(sealDocument(document, createSigningKey())));
      },
    ],
    ['an answer for another number of rows', () => linkedPart(terms, a, 10, bytes)],
    [
      'changed columns',
      () => {
        const sent = columnsMessages(linked(b)).get('hospital')!;
        pairShares(linked(a), new Map([['registry', flipped(sent)]]));
      },
    ],
    [
      'columns sent back to their sender',
      () => {
        const sent = columnsMessages(linked(a)).get('registry')!;
        pairShares(linked(a), new Map([['registry', sent]]));
      },
    ],
    ['no columns', () => pairShares(linked(a), new Map())],
  ])('%s', (_, attempt) => {
    expect(attempt).toThrow(/nothing more was sent/);
  });

  it('a party that sends columns of a wrong length is named', () => {
    const whole = linked(b);
    const short = { ...whole, part: { ...whole.part, people: 19 } };
    const less = {
      ...short,
      columns: {
        rows: 19,
        values: new Map([...whole.columns.values].map(([place]) => [place, new Float64Array(19)])),
      },
    };
    const sent = columnsMessages({
      ...less,
      part: { ...less.part, deals: { hospital: { ...whole.part.deals.hospital } } },
    }).get('hospital')!;
    expect(() => pairShares(linked(a), new Map([['registry', sent]]))).toThrow(
      /what registry sent to this party has a wrong length/,
    );
  });

  it('the helper uses no tokens that the relay changed, left out or signed itself', () => {
    const [one, two] = tokens;
    const changed = { ...two, body: `${two.body.startsWith('A') ? 'B' : 'A'}${two.body.slice(1)}` };
    const { seal: _, ...unsigned } = two;
    const forged = sealDocument(unsigned, createSigningKey());
    for (const list of [[one, changed], [one], [one, one], [one, forged]]) {
      expect(openTokens(terms, helper, list)).toMatchObject({
        problem: expect.stringMatching(
          /what (hospital|registry) sent to the helper cannot be used/,
        ),
      });
    }
  });
});
