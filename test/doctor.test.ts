import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import pg from 'pg';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { exitCode } from '../src/cli/io.ts';
import { checkCoordinator } from '../src/node/operate/check-coordinator.ts';
import type { CheckResult } from '../src/node/operate/check-result.ts';
import { serve } from '../src/node/server/serve.ts';
import { copyStore } from '../src/node/store/copy-store.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { rows, runningStudy } from './coordinator-study.ts';
import { localServer } from './local-server.ts';
import { hasOpenssl, madeCertificate } from './made-certificate.ts';
import { eachStore, freshDatabase } from './stores.ts';

/** Runs `suffice doctor --json`; gives the exit code and what is not as it should be. */
async function doctor(...flags: readonly string[]) {
  const { code, stdout, stderr } = await suffice('doctor', ...flags, '--json');
  const { schema, results, ...counts } = JSON.parse(stdout);
  expect([schema, stderr]).toEqual(['suffice/doctor@1', '']);
  const all = results as readonly CheckResult[];
  const bad = all.filter(({ state }) => state !== 'ok');
  expect(bad.every(({ remedy = '' }) => remedy !== '')).toBe(true);
  expect(counts).toEqual({
    problems: all.filter(({ state }) => state === 'problem').length,
    warnings: all.filter(({ state }) => state === 'warning').length,
  });
  return { code, all, bad: bad.map(({ check, state, text }) => [state, check, text]) };
}

/** A store with a resolved study in it. */
async function storeOf(data: string): Promise<string> {
  const store = await openSqliteStore(join(data, 'suffice.db'));
  const { coordinator, sites } = await runningStudy(store, ['a', 'b']);
  await sites[0].send(rows(0, 30));
  await sites[1].send(rows(30, 60));
  await coordinator.runDueWork();
  await store.close();
  return data;
}

const folder = temporaryFolder();
let whole: Buffer;
beforeAll(async () => {
  const data = await storeOf(join(folder, 'whole'));
  const copy = join(folder, 'whole.db');
  await copyStore(join(data, 'suffice.db'), copy, async () => {});
  whole = readFileSync(copy);
});

/** A copy of that store with a change. */
async function damaged(name: string, change: string | ((bytes: Buffer) => void)): Promise<string> {
  const data = join(folder, name);
  mkdirSync(data, { mode: 0o700 });
  const file = join(data, 'suffice.db');
  const bytes = Buffer.from(whole);
  if (typeof change !== 'string') change(bytes);
  writeFileSync(file, bytes, { mode: 0o600 });
  if (typeof change === 'string') {
    const client = createClient({ url: `file:${file}` });
    await client.executeMultiple(change);
    client.close();
  }
  return data;
}

describe('suffice doctor --data', () => {
  it('finds nothing wrong with a store that is whole, and leaves nothing behind', async () => {
    const { code, bad, all } = await doctor('--data', join(folder, 'whole'));
    expect([code, bad.filter(([, check]) => check !== 'disk' && check !== 'machine')]).toEqual([
      0,
      [],
    ]);
    expect(all.map(({ check }) => check)).toEqual([
      ...['node', 'machine', 'kernels', 'BLAS', 'pages', 'packages'],
      ...['folder', 'disk', 'permissions', 'integrity', 'tables', 'store'],
    ]);
    const left = readdirSync(join(folder, 'whole')).map((name) => name.replace(/-(wal|shm)$/, ''));
    expect(new Set(left)).toEqual(new Set(['suffice.db']));
    expect(all.at(-1)?.text).toMatch(/^1 study, 2 contributions .* every chain/);
  });

  it.each<[string, string | ((bytes: Buffer) => void), string, RegExp]>([
    ['a page', (bytes) => bytes.fill(0xff, 8192, 24_576), 'store', /SQLite|damaged/],
    ['its head', (bytes) => bytes.fill(0x78, 0, 200), 'store', /damaged/],
    ['its log', `update audit set at = '2020' where position = 2`, 'store', /entry 2 was changed/],
    ['a body', `update contributions set body = x'00' where site = 'a'`, 'store', /1 of .*changed/],
    ['a lost body', `update contributions set body = null where site = 'b'`, 'store', /is lost/],
    ['a report', `update resolutions set document = '{}'`, 'store', /resolution 1 .* was changed/],
    ['its version', `update settings set value = '99' where name = 'tables'`, 'tables', /99/],
  ])('finds %s damaged: exit code 3', async (name, change, check, says) => {
    const data = await damaged(name, change);
    const { code, bad } = await doctor('--data', data);
    expect(code).toBe(exitCode.invalidData);
    expect(bad[0]).toEqual(['problem', check, expect.stringMatching(says)]);
  });

  it('finds secrets that others can read, folders that others can write, and old copies', async () => {
    const data = await storeOf(join(folder, 'open'));
    const file = join(data, 'suffice.db');
    writeFileSync(join(data, 'admin-token'), 'x\n', { mode: 0o644 });
    chmodSync(file, 0o640);
    const { code, bad } = await doctor('--data', data);
    expect([code, bad.filter(([, check]) => check === 'permissions')]).toEqual([
      3,
      [['problem', 'permissions', 'other users may read or write admin-token, suffice.db']],
    ]);
    // The journals of a connection that is not collected yet have the mode that the store had.
    for (const name of readdirSync(data)) chmodSync(join(data, name), 0o600);
    chmodSync(data, 0o777);
    expect((await doctor('--data', data)).bad).toContainEqual([
      'problem',
      'permissions',
      `other users may write to ${data}`,
    ]);
    chmodSync(data, 0o700);
    writeFileSync(`${data}.releases`, '', { mode: 0o644 });
    expect((await doctor('--data', data)).bad).toContainEqual([
      'problem',
      'permissions',
      'other users may read or write open.releases',
    ]);
    chmodSync(`${data}.releases`, 0o600);
    const copy = join(data, 'suffice-version-1-20240101T000000Z.db');
    writeFileSync(copy, '', { mode: 0o600 });
    utimesSync(copy, 0, 0);
    const after = await doctor('--data', data);
    expect([after.code, after.bad.at(-1)]).toEqual([
      0,
      ['warning', 'copies', expect.stringContaining('version-1')],
    ]);
  });

  it('says that there is no store, and makes none', async () => {
    const none = join(folder, 'none');
    const { code, bad } = await doctor('--data', none);
    expect([code, bad]).toEqual([3, [['problem', 'folder', `${none} is not there`]]]);
    expect(existsSync(none)).toBe(false);
  });
});

describe('suffice doctor --coordinator', () => {
  it('finds a coordinator healthy', async () => {
    const served = await serve({ data: join(folder, 'served'), port: 0, log: 'none' });
    onTestFinished(() => served.stop());
    const { code, bad } = await doctor('--coordinator', served.address);
    expect([code, bad.filter(([, check]) => check !== 'machine')]).toEqual([0, []]);
  });

  it.each([
    [3 * 3600_000, 'problem', 3, /^this machine is 10\d\d\d s behind the coordinator$/],
    [-600_000, 'problem', 3, /^this machine is (59|60)\d s ahead of the coordinator$/],
    [-20_000, 'warning', 0, /^this machine is \d\d s ahead of the coordinator$/],
    [1_000, 'ok', 0, /./],
  ])('compares the clocks: %i ms', async (shift, state, code, says) => {
    const { address, received } = await localServer((_, response) => {
      response.sendDate = false;
      response.setHeader('Date', new Date(Date.now() + shift).toUTCString());
      response.end('{}');
    });
    const found = await doctor('--coordinator', address);
    const clock = found.all.find(({ check }) => check === 'clock');
    expect([found.code, clock]).toEqual([
      code,
      expect.objectContaining({ state, text: expect.stringMatching(says) }),
    ]);
    expect(received.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/healthz', undefined],
    ]);
  });

  it('refuses what is no address, and does not repeat it: it may have a secret', async () => {
    const { code, stdout, stderr } = await suffice('doctor', '--coordinator', 'http://[s3cret');
    expect(code).toBe(2);
    expect(stdout + stderr).toContain('--coordinator must be an address');
    expect(stdout + stderr).not.toContain('s3cret');
  });

  it('finds one that does not answer, and one whose store fails', async () => {
    const { address: plain } = await localServer((_, response) => response.end('{}'));
    const [noTls] = await checkCoordinator(plain.replace('http:', 'https:'));
    expect([noTls.state, noTls.text, noTls.remedy]).toEqual([
      'problem',
      expect.stringContaining('does not speak TLS'),
      expect.stringContaining(`give ${plain}`),
    ]);
    const gone = await doctor('--coordinator', 'http://127.0.0.1:9');
    expect([gone.code, gone.bad.at(-1)]).toEqual([
      3,
      ['problem', 'coordinator', expect.stringMatching(/^http:\/\/127.0.0.1:9 does not answer/)],
    ]);
    const { address } = await localServer((_, response) => {
      response.writeHead(503).end('{}');
    });
    const ill = await doctor('--coordinator', address);
    expect([ill.code, ill.bad.at(-1)]).toEqual([
      3,
      ['problem', 'coordinator', `${address} says 503`],
    ]);
  });

  const day = (days: number) =>
    new Date(Date.now() + days * 86_400_000).toISOString().replaceAll(/[-:T]|\.\d+/g, '');

  it.skipIf(!hasOpenssl)(
    'looks at the certificate: its time, its name, its authority',
    async () => {
      const certificates = {
        expired: ['IP:127.0.0.1', [day(-40), day(-10)]],
        elsewhere: ['DNS:study.example', [day(-40), day(50)]],
        unknown: ['IP:127.0.0.1', [day(-40), day(50)]],
        early: ['IP:127.0.0.1', [day(2), day(50)]],
      } as const;
      const found: Record<string, readonly [string, string]> = {};
      for (const [name, [names, time]] of Object.entries(certificates)) {
        const { cert, key } = madeCertificate(join(folder, name), names, time);
        const server = createServer(
          { cert: readFileSync(cert), key: readFileSync(key) },
          (_, response) => response.end('{}'),
        );
        await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
        const { port } = server.address() as AddressInfo;
        const [first] = await checkCoordinator(`https://127.0.0.1:${port}`);
        found[name] = [first.state, first.text];
        server.closeAllConnections();
        server.close();
      }
      const at = new Date(Date.now() - 10 * 86_400_000).toISOString().slice(0, 10);
      expect(found).toEqual({
        expired: ['problem', `expired on ${at}`],
        elsewhere: ['problem', 'it is not for 127.0.0.1'],
        unknown: ['problem', expect.stringMatching(/does not trust it \(.*SELF_SIGNED/)],
        early: ['problem', 'not valid yet'],
      });
    },
  );
});

eachStore(
  'suffice doctor --database',
  (_, place) => {
    it('finds a database in order, with its store', async () => {
      const at = await place();
      const empty = await doctor('--database', at.address);
      expect([empty.code, empty.bad.map(([, check]) => check)]).toEqual([0, ['tables']]);
      const store = await at.open();
      await runningStudy(store, ['a', 'b']);
      const { code, all, bad } = await doctor('--database', at.address);
      expect([code, bad]).toEqual([0, []]);
      expect(all.slice(6).map(({ check }) => check)).toEqual([
        ...['database', 'TLS', 'rights', 'writes', 'connections', 'latency', 'clock'],
        ...['tables', 'store'],
      ]);
      await store.write('', (db) => db.deleteFrom('audit').where('position', '=', 1).execute());
      const broken = await doctor('--database', at.address);
      expect([broken.code, broken.bad[0]]).toEqual([
        3,
        ['problem', 'store', expect.stringContaining('entry 1 is missing')],
      ]);
    });

    it('finds a role without rights', async () => {
      const url = await freshDatabase();
      const client = new pg.Client(url);
      await client.connect();
      const role = `r${Math.random().toString(36).slice(2)}`;
      await client.query(
        `create role ${role} login password 'hush'; revoke create on schema public from public`,
      );
      await client.end();
      const address = new URL(url);
      address.username = role;
      address.password = 'hush';
      const { code, bad } = await doctor('--database', address.href);
      expect([code, bad[0]]).toEqual([3, ['problem', 'rights', 'the role may not create tables']]);
    });

    it('finds a database that can only be read', async () => {
      const url = await freshDatabase();
      const client = new pg.Client(url);
      await client.connect();
      const name = new URL(url).pathname.slice(1);
      await client.query(`alter database ${name} set default_transaction_read_only = on`);
      await client.end();
      const { code, bad } = await doctor('--database', url);
      expect([code, bad[0]]).toEqual([3, ['problem', 'writes', 'the server can only be read']]);
    });

    it('says nothing of the address of one that does not answer', async () => {
      const { code, all } = await doctor('--database', 'postgres://u:hush@127.0.0.1:9/d');
      expect([code, all.at(-1)?.text]).toEqual([3, 'it cannot be used (ECONNREFUSED)']);
      expect(JSON.stringify(all)).not.toContain('hush');
    });
  },
  ['postgres'],
);
