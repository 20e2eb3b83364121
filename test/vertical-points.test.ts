import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { littleEndian, portableRistretto255, WEIGHT_BYTES } from '../src/cipher/ristretto255.ts';
import { sodiumRistretto255 } from '../src/cipher/sodium-ristretto255.ts';
import { x25519PublicKey } from '../src/cipher/x25519.ts';
import { agreement, totalDigest } from '../src/federate.ts';
import { parseStudy } from '../src/fusion/study-schema.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import type { TableStudy } from '../src/study/study.ts';
import { toBase64url } from '../src/text/base64url.ts';
import { exchangeHere } from '../src/vertical/exchange-here.ts';
import {
  checkedKeys,
  countMessage,
  messageBytes,
  partyKeysMessage,
} from '../src/vertical/exchange-messages.ts';
import { type PartyColumns, rowsInMemory } from '../src/vertical/federate-parties.ts';
import { answerLinks, openTokens } from '../src/vertical/helper-links.ts';
import {
  doubledPoints,
  MOST_POINTS,
  ownPoints,
  POINT_BYTES,
  tokensOfPoints,
} from '../src/vertical/link-points.ts';
import { linkRows } from '../src/vertical/link-rows.ts';
import { linkTokens } from '../src/vertical/link-tokens.ts';
import { newPartyState } from '../src/vertical/party-state.ts';
import {
  answerBytes,
  answeredPoints,
  countBytes,
  countIn,
  returnedPoints,
} from '../src/vertical/point-links.ts';
import { workAtOnce, workInSlices } from '../src/vertical/point-work.ts';
import { isSameNumber, PROOF_BYTES } from '../src/vertical/same-number.ts';
import { verticalStudy } from '../src/vertical/vertical-study.ts';

const vectors = JSON.parse(
  readFileSync(new URL('./vectors/ristretto255.json', import.meta.url), 'utf8'),
) as {
  readonly invalid: Readonly<Record<string, readonly string[]>>;
  readonly derived: readonly (readonly [string, string])[];
};
const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

const groups = [
  ['JavaScript', portableRistretto255],
  ['libsodium', await sodiumRistretto255()],
] as const;

describe.each(groups)('ristretto255 in %s, as RFC 9496 has it', (_, group) => {
  it.each(vectors.derived)('%s gives %s', (uniform, encoded) => {
    expect(hexOf(group.fromUniform(bytesOf(uniform)))).toBe(encoded);
    expect(group.isElement(bytesOf(encoded))).toBe(true);
  });

  it.each(Object.entries(vectors.invalid))('%s are no points', (_, encodings) => {
    for (const hex of encodings) {
      expect(group.isElement(bytesOf(hex))).toBe(false);
      expect(group.multiply(bytesOf(hex), one)).toBeUndefined();
      expect(group.weightedSum(bytesOf(hex), one.subarray(0, WEIGHT_BYTES))).toBeUndefined();
    }
  });

  it.each([
    ['the identity', new Uint8Array(POINT_BYTES)],
    ['too few bytes', new Uint8Array(POINT_BYTES - 1).fill(1)],
    ['too many bytes', new Uint8Array(POINT_BYTES + 1).fill(1)],
  ])('%s is not taken for a point', (_, bytes) => {
    expect(group.isElement(bytes)).toBe(false);
    expect(group.multiply(bytes, one)).toBeUndefined();
  });
});

/** The number 1. */
const one = Uint8Array.from({ length: POINT_BYTES }, (_, k) => (k === 0 ? 1 : 0));

describe('ristretto255 in libsodium and in JavaScript', () => {
  const [[, portable], [, sodium]] = groups;
  const points = (uniforms: readonly Uint8Array[]) => uniforms.map(portable.fromUniform);
  const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

  it('P·k is the same, also for the largest k', () => {
    const largest = bytesOf(`ecd3f55c1a631258d69cf7a2def9de14${'0'.repeat(30)}10`);
    const number = bytes(POINT_BYTES).map((any) =>
      any.map((byte, k) => (k === 31 ? byte & 15 : byte)),
    );
    fc.assert(
      fc.property(bytes(64), fc.oneof(number, fc.constant(largest)), (uniform, k) => {
        fc.pre(littleEndian(k) > 0n);
        const [point] = points([uniform]);
        expect(sodium.multiply(point, k)).toEqual(portable.multiply(point, k));
      }),
    );
  });

  it('Σ wᵢPᵢ is the same', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(bytes(64), bytes(WEIGHT_BYTES)), { minLength: 1, maxLength: 4 }),
        (terms) => {
          fc.pre(terms.every(([, weight]) => weight.some((byte) => byte > 0)));
          const elements = Buffer.concat(points(terms.map(([uniform]) => uniform)));
          const weights = Buffer.concat(terms.map(([, weight]) => weight));
          const sum = portable.weightedSum(elements, weights);
          expect(sum).toBeDefined();
          expect(sodium.weightedSum(elements, weights)).toEqual(sum);
        },
      ),
    );
  });
});

const study: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'outcome ~ age + sex',
  codebook: {
    age: { type: 'number', range: [0, 110] },
    sex: { type: 'category', levels: ['female', 'male'] },
    outcome: { type: 'number', range: [0, 10] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  disclosure: { profile: 'none' },
  partition: {
    kind: 'vertical',
    key: [['id'], ['name', 'born']],
    parties: { hospital: ['age', 'sex'], registry: ['outcome'] },
    duplicates: 'leave-out',
  },
};
const byPoints: TableStudy = {
  ...study,
  partition: { ...study.partition!, linkage: 'ecdh' },
} as TableStudy;

/** People of whom both parties have some; some lack the id, some share a key. */
function people(count: number, keep: (k: number) => boolean, isLost: (k: number) => boolean) {
  const all = Array.from({ length: count }, (_, k) => k).filter(keep);
  return {
    id: all.map((k) => (isLost(k) ? '' : k === 9 ? 'p8' : `p ${k}`)),
    name: all.map((k) => (k === 5 ? 'name4' : `Name${k}`)),
    born: all.map((k) => `19${40 + (k === 5 ? 4 : k)}`),
    age: all.map((k) => 30 + k),
    sex: all.map((k) => (k % 2 === 0 ? 'female' : 'male')),
    outcome: all.map((k) => k % 10),
  };
}

const tables: Readonly<Record<string, PartyColumns>> = {
  hospital: people(
    24,
    (k) => k % 6 !== 1,
    (k) => k % 7 === 2,
  ),
  registry: people(
    24,
    (k) => k % 8 !== 3,
    (k) => k === 4 || k === 20,
  ),
};

const exchanged = (one: TableStudy) => {
  const split = verticalStudy(agreement(parseStudy(one)));
  const rows = new Map(
    split.parties.map((party) => [party, rowsInMemory(split, party, tables[party])]),
  );
  return exchangeHere(split, rows);
};

describe('rows linked by points', () => {
  it('are those linked by tokens: the same people in each pass, the same total bit for bit', () => {
    const [tokens, points] = [exchanged(study), exchanged(byPoints)];
    expect(points.people).toBe(tokens.people);
    expect(points.parties.map(({ passes }) => passes)).toEqual(
      tokens.parties.map(({ passes }) => passes),
    );
    expect(points.parties[0].passes.every(({ linked }) => linked > 0)).toBe(true);
    expect(points.parties[0].passes.some(({ duplicates }) => duplicates > 0)).toBe(true);
    const digest = (found: typeof points) =>
      totalDigest(agreement(parseStudy(study)), found.collected.total);
    expect(digest(points)).toBe(digest(tokens));
  });

  it('match whatever the secrets of the two parties are, and only in their own pass', () => {
    const keys = [
      [['a'], ['b'], undefined, ['d'], ['d']],
      [['b'], ['e'], ['a'], undefined, ['d']],
    ] as const;
    const secrets = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
    const [one, two] = keys.map((own, p) =>
      workAtOnce(
        ownPoints(secrets[p], 'study', 5, 2, (pass, row) => (pass === p ? own[row] : undefined)),
      ),
    );
    const [left, right] = [
      workAtOnce(doubledPoints(secrets[1], one.bytes, 2)),
      workAtOnce(doubledPoints(secrets[0], two.bytes, 2)),
    ];
    if ('wrong' in left || 'wrong' in right) throw new Error('no points');
    expect(linkRows([tokensOfPoints(left), tokensOfPoints(right)]).rows[0]).toHaveLength(0);
    const again = workAtOnce(ownPoints(secrets[1], 'study', 5, 2, (_, row) => keys[1][row]));
    const same = workAtOnce(doubledPoints(secrets[0], again.bytes, 2));
    if ('wrong' in same) throw new Error('no points');
    const { rows } = linkRows([tokensOfPoints(left), tokensOfPoints(same)]);
    // "d" is there twice at the first party.
    expect(Array.from(rows[0], (row, k) => [row, rows[1][k]]).sort()).toEqual([
      [0, 2],
      [1, 0],
    ]);
    const tokens = keys.map((own) => linkTokens(secrets[0], 5, 1, (_, row) => own[row]));
    expect(new Set(linkRows(tokens).rows[0])).toEqual(new Set(rows[0]));
  });

  it('say nothing about rows without a key or with a shared one: every point is different, and of the same study only', () => {
    const secret = new Uint8Array(32).fill(3);
    const keyOf = (_: number, row: number) => (row < 2 ? ['same'] : undefined);
    const { bytes } = workAtOnce(ownPoints(secret, 'one', 6, 1, keyOf));
    const texts = Array.from({ length: 6 }, (_, k) => hexOf(bytes.slice(32 * k, 32 * k + 32)));
    expect(new Set(texts).size).toBe(6);
    const key = () => ['same'];
    const [one, other] = ['one', 'other'].map((id) => workAtOnce(ownPoints(secret, id, 1, 1, key)));
    expect(hexOf(one.bytes)).not.toBe(hexOf(other.bytes));
    // A killed process goes on with the same points.
    expect(hexOf(workAtOnce(ownPoints(secret, 'one', 6, 1, keyOf)).bytes)).toBe(hexOf(bytes));
  });

  it('can be stopped while they are computed', async () => {
    const control = new AbortController();
    const work = ownPoints(new Uint8Array(32), 'long', 100_000, 1, (_, row) => [`${row}`]);
    let last = 0;
    const stopped = workInSlices(
      work,
      (done) => {
        last = done;
        control.abort(new Error('stopped'));
      },
      control.signal,
    );
    await expect(stopped).rejects.toThrow('stopped');
    expect(last).toBeGreaterThan(0);
    expect(last).toBeLessThan(100_000);
  });
});

describe('a party refuses points', () => {
  const split = verticalStudy(agreement(parseStudy(byPoints)));
  const secret = new Uint8Array(32).fill(5);
  const honest = workAtOnce(
    ownPoints(secret, split.digest, 3, 2, (pass, row) => [`${pass} ${row}`]),
  );
  const changed = (at: number, put: Uint8Array) => {
    const bytes = honest.bytes.slice();
    bytes.set(put, at);
    return bytes;
  };
  const cases = [
    [
      'that are not canonical',
      changed(32, bytesOf(vectors.invalid['negative x·y'][0])),
      /no point/,
    ],
    ['that are the identity', changed(32, new Uint8Array(32)), /no point/],
    ['that are there twice', changed(32, honest.bytes.slice(0, 32)), /twice/],
    ['of half a row', honest.bytes.slice(0, 5 * 32), /wrong length/],
    ['that are too many', new Uint8Array((MOST_POINTS + 2) * 32), /more than 1000000/],
  ] as const;

  it.each(cases)(
    '%s, by the name of the sender, and multiplies none of what follows',
    (_, bytes, why) => {
      const work = answeredPoints(split, 'registry', bytes, secret);
      let multiplied = 0;
      const all = () => {
        for (;;) {
          const { done } = work.next();
          if (done) return;
          multiplied++;
        }
      };
      expect(all).toThrow(/the points of registry cannot be used/);
      expect(multiplied).toBeLessThanOrEqual(1);
      expect(() => workAtOnce(answeredPoints(split, 'registry', bytes, secret))).toThrow(why);
    },
  );

  it.each(cases.slice(0, 4))('that come back %s', (_, bytes) => {
    const answer = Uint8Array.from([...bytes, ...new Uint8Array(PROOF_BYTES)]);
    expect(() => workAtOnce(returnedPoints(split, honest, 'registry', answer))).toThrow(
      /the points of registry cannot be used/,
    );
  });

  it('that come back as others, so as to link people whom their sender does not have', () => {
    const theirs = new Uint8Array(32).fill(9);
    const strangers = workAtOnce(ownPoints(theirs, 'study', 3, 2, (_, row) => [`stranger ${row}`]));
    const told = workAtOnce(doubledPoints(secret, strangers.bytes, 2)); // what the honest party sends back
    const true1 = workAtOnce(doubledPoints(theirs, honest.bytes, 2));
    if ('wrong' in told || 'wrong' in true1) throw new Error('no points');
    const answer = (points: typeof true1) =>
      workAtOnce(answerBytes(split, 'registry', honest.bytes, points, theirs));
    const read = (bytes: Uint8Array) =>
      workAtOnce(returnedPoints(split, honest, 'registry', bytes)).bytes;
    expect(read(answer(true1))).toEqual(true1.bytes);
    // In place of the first row's point, that of a stranger: both would have the same token.
    const forged = { ...true1, bytes: true1.bytes.slice() };
    forged.bytes.set(told.bytes.subarray(0, POINT_BYTES));
    const [left, right] = [forged, told].map(tokensOfPoints);
    expect(linkRows([left, right]).rows[0]).toHaveLength(1);
    for (const bytes of [
      answer(forged),
      Uint8Array.from([...forged.bytes, ...answer(true1).subarray(-PROOF_BYTES)]),
      Uint8Array.from([...forged.bytes, ...new Uint8Array(PROOF_BYTES)]),
      forged.bytes,
    ]) {
      expect(() => read(bytes)).toThrow(/the points of registry cannot be used/);
    }
    // A proof is of one party about one study and these points, and every bit of it counts.
    const proof = answer(true1).subarray(-PROOF_BYTES);
    const about = { study: split.digest, party: 'registry' };
    const holds = (whose: typeof about, points: Uint8Array, one: Uint8Array) =>
      workAtOnce(isSameNumber(whose, points, true1.bytes, one));
    expect(holds(about, honest.bytes, proof)).toBe(true);
    expect(holds({ ...about, study: 'another' }, honest.bytes, proof)).toBe(false);
    expect(holds({ ...about, party: 'hospital' }, honest.bytes, proof)).toBe(false);
    expect(holds(about, strangers.bytes, proof)).toBe(false);
    for (const place of [0, POINT_BYTES, 2 * POINT_BYTES]) {
      const other = proof.slice();
      other[place] ^= 1;
      expect(holds(about, honest.bytes, other)).toBe(false);
    }
  });

  it('that are its own answer, sent back: whoever offered a copy of its points would have all its people', () => {
    const answered = workAtOnce(answeredPoints(split, 'registry', honest.bytes, secret));
    const echo = workAtOnce(answerBytes(split, 'hospital', honest.bytes, answered, secret));
    // Without a word about whose proof it is, every row would be linked.
    const all = linkRows([answered, answered].map(tokensOfPoints)).rows[0];
    expect(all).toHaveLength(honest.rows);
    expect(() => workAtOnce(returnedPoints(split, honest, 'registry', echo))).toThrow(
      /the points of registry cannot be used: they are not your points times one number/,
    );
  });

  it('and the helper takes no number of people that no two parties can have', () => {
    const counted = (people: number) => countIn(countBytes({ people, links: '' }));
    expect(counted(MOST_POINTS)).toEqual({ people: MOST_POINTS, links: '' });
    for (const people of [MOST_POINTS + 1, 2 ** 32, 2 ** 53 - 1, -1, 1.5]) {
      expect(counted(people)).toBeUndefined();
    }
  });

  it('and the helper deals nothing where two parties have linked different people, or too few', () => {
    const keys = { hospital: createSigningKey(), registry: createSigningKey() };
    const keyOf = (party: string) => keys[party as keyof typeof keys];
    const linker = { secret, signing: createSigningKey(), seeds: new Uint8Array(32) };
    const terms = {
      study: split,
      roster: { hospital: keys.hospital.key, registry: keys.registry.key },
      helper: { key: toBase64url(x25519PublicKey(secret)), signingKey: linker.signing.key },
    };
    const states = split.parties.map((party) => newPartyState(split.digest, party));
    const keyMessages = states.map((state) => {
      const message = messageBytes(partyKeysMessage(state, keyOf(state.party)));
      return [state.party, message] as const;
    });
    const known = checkedKeys(terms, new Map(keyMessages));
    const told = (...counts: readonly { people: number; links: string }[]) =>
      states.map((state, p) =>
        countMessage(terms, state, known, countBytes(counts[p]), keyOf(state.party)),
      );
    const links = 'sha256:1';
    const opened = openTokens(terms, linker, told({ people: 9, links }, { people: 9, links }));
    expect(opened).toMatchObject({ offered: 9 });
    for (const other of [
      { people: 8, links },
      { people: 9, links: 'sha256:2' },
    ]) {
      expect(openTokens(terms, linker, told({ people: 9, links }, other))).toEqual({
        problem: expect.stringContaining('have not linked the same people'),
        remedy: expect.any(String),
      });
    }
    const few = openTokens(terms, linker, told({ people: 2, links }, { people: 2, links }));
    if ('problem' in few) throw new Error(few.problem);
    expect(answerLinks(terms, linker, few)).toMatchObject({
      problem: expect.stringContaining('fewer than 3 people'),
    });
  });
});

describe('a study that links by points', () => {
  it('has two parties', () => {
    const parties = { a: ['age'], b: ['sex'], c: ['outcome'] };
    const three = { ...byPoints, partition: { ...byPoints.partition!, parties } } as TableStudy;
    expect(() => agreement(parseStudy(three))).toThrow(/between two parties.*has 3/);
  });

  it('is another study; one that says nothing keeps the digest it had', () => {
    const digest = (one: TableStudy) => agreement(parseStudy(one)).digest;
    expect(digest(byPoints)).not.toBe(digest(study));
    expect(JSON.stringify(parseStudy(study))).not.toContain('linkage');
  });
});
