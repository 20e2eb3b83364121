import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sharedSigningKey } from '../src/coordinator/shared-secrets.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import type {
  MaskSumAnswer,
  SealedStatement,
  SumRequest,
  UnusableAnswer,
} from '../src/protocol/helper-messages.ts';
import { createSigningKey, type SigningKey, sealDocument } from '../src/protocol/signature.ts';
import { wordsOf } from '../src/statistic/layout.ts';
import { fractionBitsOf, packedIndex } from '../src/statistic/linear-layout.ts';
import { ringEntry, setRingEntry } from '../src/statistic/ring.ts';
import { statisticBytes, wordsFromBytes } from '../src/statistic/statistic.ts';
import { fromBase64, toBase64 } from '../src/text/base64.ts';
import { temporaryFolder } from './cli.ts';
import { operator } from './coordinator-study.ts';
import { type SecureParties, secureParties } from './secure-parties.ts';

const folder = temporaryFolder();
let stores = 0;
const newStore = () => openSqliteStore(join(folder, `${++stores}.db`));
const abc = ['a', 'b', 'c'];

/** The answer of the helper, which a liar then changes. */
type Answer = MaskSumAnswer & { readonly seal: unknown };

type Lie = (answer: Answer, key: SigningKey, parties: SecureParties, asked: SumRequest) => unknown;

/** A study that waits for its resolution, and a helper that can be made to lie. */
async function waiting() {
  const stores = { coordinator: await newStore(), helper: await newStore() };
  const parties = await secureParties(stores, abc);
  const key = await sharedSigningKey(stores.helper);
  await parties.send(...abc);
  const lying = (lie: Lie) =>
    parties.intercept(async (asked, pass) => {
      const answer = (await (await pass()).json()) as Answer;
      return new Response(JSON.stringify(lie(answer, key, parties, asked)));
    });
  return { ...parties, lying };
}

/** Signed again by the helper itself. */
const signed = ({ seal: _, ...answer }: Answer, key: SigningKey, change: Partial<MaskSumAnswer>) =>
  sealDocument({ ...answer, ...change }, key);

const sumIn = ({ sums: [{ sum }] }: Answer) => sum;
const summing = (sum: string) => ({ sums: [{ contributions: 3, sum }] });

const restated = (
  answer: Answer,
  key: SigningKey,
  change: Partial<Omit<SealedStatement, 'seal'>>,
) => {
  const { seal: _, ...statement } = answer.statement;
  return signed(answer, key, { statement: sealDocument({ ...statement, ...change }, key) });
};

const unusable = (
  key: SigningKey,
  { set, study }: { readonly set: string; readonly study: string },
  site: string,
  sequence: number,
) =>
  sealDocument<UnusableAnswer>(
    {
      schema: 'suffice/unusable@1',
      study,
      set,
      unusable: [{ site, sequence, why: 'because' }],
    },
    key,
  );

const eve = createSigningKey();
const digest = `sha256:${'0'.repeat(64)}`;

describe('an answer that is not the helper’s word about this set opens nothing and erases nothing', async () => {
  const { coordinator, id, coordinatorStore, events, plainDigest, intercept, resolve, lying } =
    await waiting();

  it.each<[string, Lie, RegExp]>([
    [
      'the signature of somebody else',
      (answer) => signed(answer, eve, {}),
      /not signed with the key that the study names/,
    ],
    [
      'a sum that was changed on the way',
      (answer) => ({ ...answer, ...summing(`AAAA${sumIn(answer).slice(4)}`) }),
      /not signed/,
    ],
    [
      'a statement about another set',
      (answer, key) => restated(answer, key, { set: digest }),
      /about other contributions/,
    ],
    [
      'a statement about another study',
      (answer, key) => restated(answer, key, { study: digest }),
      /about other contributions/,
    ],
    [
      'a statement with another count',
      (answer, key) => restated(answer, key, { contributions: 4 }),
      /another number/,
    ],
    [
      'a statement that somebody else has signed',
      (answer, key) => {
        const { seal: _, ...statement } = answer.statement;
        return signed(answer, key, { statement: sealDocument(statement, eve) });
      },
      /statement is not signed/,
    ],
    [
      'a sum of another size',
      (answer, key) => signed(answer, key, summing(sumIn(answer).slice(0, -16))),
      /another size/,
    ],
    [
      'a sum that is no base64',
      (answer, key) => signed(answer, key, summing('A')),
      /not one of a helper/,
    ],
    ['something else', () => ({ hello: 'world' }), /not one of a helper/],
    [
      'unusable contributions, unsigned',
      ({ statement }) => ({ ...unusable(eve, statement, 'a', 1) }),
      /not signed/,
    ],
    [
      'unusable contributions of another set',
      ({ statement }, key) => unusable(key, { ...statement, set: digest }, 'a', 1),
      /about other contributions/,
    ],
    [
      'unusable contributions that nobody asked about',
      ({ statement }, key) => unusable(key, statement, 'a', 2),
      /names a contribution that was not asked about/,
    ],
  ])('%s', async (_, lie, problem) => {
    lying(lie);
    await expect(resolve()).rejects.toThrow(problem);
    expect(await coordinator.view(operator, id)).toMatchObject({
      state: 'closed',
      problem: expect.stringMatching(problem),
    });
    const { db } = coordinatorStore;
    const stored = await db.selectFrom('contributions').select('body').execute();
    expect(stored.filter(({ body }) => body !== null)).toHaveLength(3);
    expect(await db.selectFrom('resolutions').selectAll().execute()).toEqual([]);
    expect(await db.selectFrom('studies').select('due').execute()).toEqual([{ due: 1 }]);
    expect((await events()).map(({ event }) => event)).not.toContain('unusable');
  });

  it('after all these lies the true answer opens the study', async () => {
    intercept(undefined);
    expect((await resolve()).report.digest).toBe(plainDigest(...abc));
  });

  it.each([200, 500])('an answer without an end, with status %i', async (status) => {
    const stores = { coordinator: await newStore(), helper: await newStore() };
    const parties = await secureParties(stores, abc);
    await parties.send(...abc);
    let given = 0;
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull(to) {
          given += 2 ** 16;
          to.enqueue(new Uint8Array(2 ** 16));
        },
      });
    parties.intercept(async () => new Response(endless(), { status }));
    await parties.coordinator.runDueWork();
    expect(given).toBeLessThan(2 ** 20);
    expect(await parties.coordinator.view(operator, parties.id)).toMatchObject({
      state: 'closed',
      problem: expect.stringMatching(/is longer than \d+ bytes|answered with status 500/),
    });
    expect(await parties.recorded()).toEqual({ sets: 0, seeds: 0 });
  });

  it('the answer for an earlier set', async () => {
    const stores = { coordinator: await newStore(), helper: await newStore() };
    const parties = await secureParties(stores, [...abc, 'd', 'e', 'f']);
    const { coordinator, id } = parties;
    await parties.send(...abc);
    await coordinator.close(operator, id);
    let first: string | undefined;
    parties.intercept(async (_, pass) => {
      first = await (await pass()).text();
      return new Response(first);
    });
    await coordinator.runDueWork();
    await coordinator.reopen(operator, id);
    await parties.send('d', 'e', 'f');
    await coordinator.close(operator, id).catch(() => {});
    parties.intercept(async () => new Response(first));
    await coordinator.runDueWork();
    expect(await coordinator.view(operator, id)).toMatchObject({
      problem: expect.stringMatching(/about other contributions/),
      resolution: { number: 1 },
    });
  });

  it('a set that it has answered before: it cannot take that back', async () => {
    lying(({ statement }, key) => unusable(key, statement, 'a', 1));
    await expect(coordinator.analyse(operator, id, { questions: [] })).rejects.toThrow(
      /now refuses contributions that it has answered for before/,
    );
    const stored = await coordinatorStore.db.selectFrom('contributions').select('body').execute();
    expect(stored.filter(({ body }) => body !== null)).toHaveLength(3);
  });
});

/** Adds to an entry of the sum what `by` says of the unit of a row and of the entry of the true total. */
const changing =
  (i: number, j: number, by: (unit: bigint, entry: bigint) => bigint): Lie =>
  (answer, key, { agreed: { layout }, plainTotal }) => {
    const words = wordsOf(layout);
    const values = wordsFromBytes(fromBase64(sumIn(answer))).slice();
    const place = packedIndex(layout.columns.length, i, j);
    const unit = 1n << BigInt(fractionBitsOf(layout));
    const change = by(unit, ringEntry(plainTotal(...abc).values, words, place));
    setRingEntry(values, words, place, ringEntry(values, words, place) + change);
    return signed(answer, key, summing(toBase64(statisticBytes({ layout, values }))));
  };

// Columns are (Intercept), x, z, y. A row counts 1 in the first entry.
describe('a wrong sum, signed by the helper', async () => {
  const { coordinator, id, coordinatorStore, resolve, lying } = await waiting();

  it.each<[string, Lie, RegExp]>([
    ['half a row more', changing(0, 0, (unit) => unit / 2n), /whole number/],
    ['a million rows fewer', changing(0, 0, (unit) => -1_000_000n * unit), /whole number/],
    ['2³³ rows more', changing(0, 0, (unit) => unit << 33n), /more than 2³² rows/],
    ['a negative square', changing(1, 1, (_, entry) => -2n * entry), /square of x is negative/],
    ['a square above the range', changing(1, 1, (unit) => unit << 20n), /square of x exceeds/],
    [
      'a product above Cauchy–Schwarz',
      changing(1, 3, (unit) => unit << 20n),
      /Cauchy–Schwarz|not those of any rows/,
    ],
    [
      'a square far too small',
      changing(1, 1, (_, entry) => 1n - entry),
      /Cauchy–Schwarz|not those of any rows/,
    ],
  ])('is refused: %s', async (_, lie, problem) => {
    lying(lie);
    await expect(resolve()).rejects.toThrow(problem);
    const { state, resolution } = await coordinator.view(operator, id);
    expect([state, resolution]).toEqual(['closed', undefined]);
    expect(await coordinatorStore.db.selectFrom('resolutions').selectAll().execute()).toEqual([]);
  });

  it.each<[string, Lie]>([
    ['one row of zeros more', changing(0, 0, (unit) => unit)],
    ['a product that is a little off', changing(1, 3, () => 1n)],
    ['a square that is a hundredth larger', changing(3, 3, (_, entry) => entry / 100n)],
  ])('passes, and gives another model: %s', async (_, lie) => {
    const parties = await waiting();
    parties.lying(lie);
    const { report } = await parties.resolve();
    expect(report.digest).not.toBe(parties.plainDigest(...abc));
  });
});
