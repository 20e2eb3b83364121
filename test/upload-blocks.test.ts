import { describe, expect, it } from 'vitest';
import { newToken } from '../src/coordinator/access.ts';
import type { CheckingTime } from '../src/coordinator/checking-time.ts';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import { createApp } from '../src/coordinator/http/app.ts';
import type { Store } from '../src/coordinator/store.ts';
import { postStudy, studyClient } from '../src/protocol/client.ts';
import { contentDigest } from '../src/protocol/content-digest.ts';
import { operations } from '../src/protocol/operations.ts';
import { sendInBlocks } from '../src/protocol/send-blocks.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import { digestBytes } from '../src/study/digest.ts';
import type { TableStudy } from '../src/study/study.ts';
import { linkOf } from './busy-site.ts';
import { agreement, contribution } from './linear.ts';
import { oneStore } from './stores.ts';
import { studyOf, summaryOf, tableOf } from './tables.ts';

const BLOCK = 512;
const address = 'http://127.0.0.1:1';

/** Twelve columns: a file of some kilobytes, which is a dozen blocks. */
const table = tableOf(
  Object.fromEntries(
    ['y', ...Array.from({ length: 12 }, (_, j) => `x${j}`)].map((name, j) => [
      name,
      Array.from({ length: 40 }, (_, r) => ((r * 7919 + j * 104_729) % 1009) / 8),
    ]),
  ),
);
let studies = 0;
const anyStudy = (): TableStudy => ({
  ...studyOf(table, 'y ~ .'),
  name: `blocks ${++studies}`,
  disclosure: { profile: 'none' },
});

/** A busy machine must not refuse for want of time. */
const endless: CheckingTime = { admit() {}, spend() {} };

type Kind = 'blocks' | 'no blocks';
const withoutBlocks = Object.fromEntries(
  Object.entries(operations).filter(([, { path }]) => !path.includes('/uploads/')),
);

/** A coordinator on the store as a `fetch` that counts its requests and can be cut off. */
async function serving(store: Store, kind: Kind = 'blocks') {
  const operatorToken = newToken('operator');
  const coordinator = await createCoordinator({
    ...{ store, operatorToken, blockBytes: BLOCK, checking: endless },
  });
  const app = createApp(coordinator, {
    rateLimits: 'off',
    ...(kind === 'blocks' ? {} : { operations: withoutBlocks }),
  });
  const asked: string[] = [];
  let left = Number.POSITIVE_INFINITY;
  const call: typeof fetch = (input, init) => {
    const request = new Request(input, init);
    asked.push(`${request.method} ${new URL(request.url).pathname.split('/').slice(3).join('/')}`);
    if (left-- <= 0) throw new TypeError('cut off');
    return app.fetch(request);
  };
  return {
    coordinator,
    operatorToken,
    fetch: call,
    asked,
    blocks: () => asked.filter((one) => one.startsWith('PUT uploads')),
    endAfter(requests: number) {
      left = requests;
    },
  };
}

type Serving = Awaited<ReturnType<typeof serving>>;
const options = ({ fetch }: Serving) => ({ fetch, retryFor: 0, blocksFrom: BLOCK });

async function begun(store: Store, kind?: Kind) {
  const server = await serving(store, kind);
  const study = anyStudy();
  const agreed = agreement(study);
  const created = await postStudy(
    address,
    server.operatorToken,
    { study, sites: ['north', 'south'] },
    { fetch: server.fetch },
  );
  const key = createSigningKey();
  const rows = Array.from({ length: 30 }, (_, r) => r);
  const made = contribution(agreed, 'north', summaryOf(agreed, table, rows));
  const file = encodeContribution(signContribution(made, key));
  return { server, agreed, created, file, link: linkOf(created, address, 'north') };
}

const stored = (store: Store) => store.db.selectFrom('blocks').select('number').execute();

oneStore('a large contribution, sent in blocks', (open) => {
  it('is stored once, and its total is that of the whole file', async () => {
    const store = await open();
    const { server, file, link, created, agreed } = await begun(store);
    const arrived: number[] = [];
    const client = studyClient(link, { ...options(server), onUpload: (n) => arrived.push(n) });
    const receipt = await client.contribute(file);
    expect(receipt.digest).toBe(digestBytes(file));
    const count = Math.ceil(file.length / BLOCK);
    expect(server.blocks()).toHaveLength(count);
    expect(arrived.at(-1)).toBe(file.length);
    expect(arrived).toEqual([...arrived].sort((a, b) => a - b));
    // A second time: no block is sent, and the receipt is the same.
    expect(await client.contribute(file)).toEqual(receipt);
    expect(server.blocks()).toHaveLength(count);
    // The other site sends its file at once; the coordinator stores it in blocks too.
    const second = contribution(agreed, 'south', summaryOf(agreed, table, [31, 32, 33, 34, 35]));
    const whole = encodeContribution(signContribution(second, createSigningKey()));
    await studyClient(linkOf(created, address, 'south'), {
      ...options(server),
      blocksFrom: 2 ** 30,
    }).contribute(whole);
    await server.coordinator.runDueWork();
    const total = await studyClient(linkOf(created, address), options(server)).total('latest');
    const sum = summaryOf(agreed, table, [...Array(30).keys(), 31, 32, 33, 34, 35]);
    expect(total.values).toEqual(sum.statistic.values);
    expect(await store.db.selectFrom('contributions').select('body').execute()).toEqual([
      { body: null },
      { body: null },
    ]);
  });

  it.each([1, 2, 5])(
    'goes on after %i requests and a new coordinator, and sends no block twice',
    async (cut) => {
      const store = await open();
      const { server, file, link } = await begun(store);
      const count = Math.ceil(file.length / BLOCK);
      server.endAfter(cut);
      await expect(studyClient(link, options(server)).contribute(file)).rejects.toThrow();
      expect(await store.db.selectFrom('contributions').select('site').execute()).toEqual([]);
      expect(await stored(store)).toHaveLength(Math.max(0, cut - 1));
      const next = await serving(store);
      const receipt = await studyClient(link, options(next)).contribute(file);
      expect(receipt).toMatchObject({ digest: digestBytes(file), bytes: file.length });
      expect(next.blocks()).toHaveLength(count - (cut - 1));
      const rows = await store.db
        .selectFrom('contributions')
        .select(['site', 'sequence'])
        .execute();
      expect(rows).toEqual([{ site: 'north', sequence: 1 }]);
    },
  );

  it('is sent whole to a coordinator that knows no blocks', async () => {
    const store = await open();
    const { server, file, link } = await begun(store, 'no blocks');
    const receipt = await studyClient(link, options(server)).contribute(file);
    expect(receipt.digest).toBe(digestBytes(file));
    expect(server.asked.slice(1)).toEqual([
      `GET uploads/${digestBytes(file).slice(7)}`,
      'POST contributions',
    ]);
  });

  it('is erased with the withdrawal, whether finished or not', async () => {
    const store = await open();
    const { server, file, link, created } = await begun(store);
    const { coordinator } = server;
    await studyClient(link, options(server)).contribute(file);
    await coordinator.withdraw({ role: 'operator' }, created.id, { site: 'north' });
    expect(await stored(store)).toEqual([]);
    server.endAfter(3);
    const other = file.slice();
    other[other.length - 1] ^= 1;
    await expect(studyClient(link, options(server)).contribute(other)).rejects.toThrow();
    expect(await stored(store)).not.toEqual([]);
    await coordinator.withdraw({ role: 'operator' }, created.id, { site: 'north' });
    expect(await stored(store)).toEqual([]);
  });

  describe('a block', () => {
    const cases = [
      [
        'that differs from its digest',
        0,
        (b: Uint8Array) => ({ digest: digestBytes(b.slice(1)) }),
        'differs from its digest',
      ],
      ['that is not the next', 2, () => ({}), 'block 0 is next'],
      [
        'that is too long',
        0,
        (b: Uint8Array) => ({ body: new Uint8Array(b.length + 1) }),
        'every block but the last',
      ],
      ['without bytes', 0, () => ({ body: new Uint8Array(0) }), 'every block but the last'],
    ] as const;
    it.each(cases)('%s is refused, and nothing is stored', async (_, number, change, problem) => {
      const store = await open();
      const { server, file, created } = await begun(store);
      const caller = { role: 'site', study: created.id, site: 'north' } as const;
      const body = file.subarray(0, BLOCK);
      const altered = { number, body, ...change(body) };
      const block = { digest: digestBytes(altered.body), ...altered };
      const sent = server.coordinator.sendBlock(caller, created.id, digestBytes(file), block);
      await expect(sent).rejects.toThrow(problem);
      expect(await stored(store)).toEqual([]);
    });

    it('needs its digest in the request', async () => {
      const store = await open();
      const { server, file, link } = await begun(store);
      const body = file.slice(0, BLOCK);
      const path = `/studies/${link.study}/uploads/${digestBytes(file).slice(7)}/blocks/0`;
      const put = (headers: Record<string, string>) =>
        server.fetch(`${address}${path}`, {
          method: 'PUT',
          body,
          headers: {
            authorization: `Bearer ${link.token}`,
            'content-type': 'application/octet-stream',
            ...headers,
          },
        });
      expect((await put({})).status).toBe(400);
      expect(await stored(store)).toEqual([]);
      expect((await put({ 'content-digest': contentDigest(body) })).status).toBe(200);
      expect(await stored(store)).toEqual([{ number: 0 }]);
    });
  });

  it('is no contribution before all blocks have arrived, nor if they are of another file', async () => {
    const store = await open();
    const { server, file, created } = await begun(store);
    const caller = { role: 'site', study: created.id, site: 'north' } as const;
    const name = digestBytes(file);
    const { coordinator } = server;
    const send = (number: number, body: Uint8Array) =>
      coordinator.sendBlock(caller, created.id, name, { number, body, digest: digestBytes(body) });
    await send(0, file.subarray(0, BLOCK));
    const early = coordinator.contributeBlocks(caller, created.id, name);
    await expect(early).rejects.toThrow('has not arrived as a whole');
    await send(1, new Uint8Array(BLOCK));
    const wrong = coordinator.contributeBlocks(caller, created.id, name);
    await expect(wrong).rejects.toThrow('has not arrived as a whole');
    expect(await store.db.selectFrom('contributions').select('site').execute()).toEqual([]);
    // The first block of another file takes its place.
    const other = digestBytes(new Uint8Array(3));
    const [number, body] = [0, file.subarray(0, BLOCK)];
    await coordinator.sendBlock(caller, created.id, other, {
      number,
      body,
      digest: digestBytes(body),
    });
    const files = await store.db.selectFrom('blocks').select('file').execute();
    expect(files).toEqual([{ file: other }]);
  });
});

it.each([
  ['blocks of a byte', [{ blocks: 0, blockBytes: 1 }]],
  ['more blocks than there are', [{ blocks: 9, blockBytes: BLOCK }]],
  [
    'a block that goes back',
    [
      { blocks: 1, blockBytes: BLOCK },
      { blocks: 1, blockBytes: BLOCK },
    ],
  ],
])('a site sends no file to a coordinator that tells of %s', async (_, told) => {
  const said = told.map((one) => ({ schema: 'suffice/upload@1' as const, ...one }));
  let asked = 0;
  const next = async () => said[asked++]!;
  const contributeBlocks = async () => {
    throw new Error('the file was contributed');
  };
  const sending = sendInBlocks(
    { upload: next, sendBlock: next, contributeBlocks },
    new Uint8Array(4 * BLOCK),
  );
  await expect(sending).rejects.toThrow('says of the upload what cannot be');
  expect(asked).toBe(said.length);
});
