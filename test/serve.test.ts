import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as tlsConnect } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { concludeHere } from '../src/coordinator/conclude-here.ts';
import { serve } from '../src/node/server/serve.ts';
import type { StudyCreated, StudyView } from '../src/protocol/messages.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { decodeContribution } from '../src/statistic/envelope.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { fileOf, jsonOf, offerOf, study } from './http-study.ts';
import { agreement } from './linear.ts';
import { PATIENCE_MS } from './patience.ts';
import { type Serving, startServing } from './serving.ts';
import { freshDatabase } from './stores.ts';

/** Where a coordinator is reached, and its operator's token. */
type Reached = Pick<Serving, 'address' | 'port' | 'operator'>;

/** A coordinator in this process, for what a process of its own would not show better. */
async function servedHere(): Promise<Reached> {
  const served = await serve({ data: temporaryFolder(), port: 0, log: 'none' });
  onTestFinished(() => served.stop());
  const { address, operatorTokenFile } = served;
  const operator = readFileSync(operatorTokenFile!, 'utf8').trim();
  return { address, port: Number(new URL(address).port), operator };
}

async function call(
  { address }: Reached,
  method: string,
  path: string,
  token: string,
  json?: unknown,
): Promise<Response> {
  return fetch(`${address}${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
}

async function createStudy(
  serving: Reached,
  sites: readonly string[],
  about = study,
): Promise<StudyCreated> {
  const json = { study: about, sites };
  return jsonOf(call(serving, 'POST', '/studies', serving.operator, json));
}

async function contribute(
  { address }: Serving,
  id: string,
  token: string,
  file: Uint8Array,
): Promise<Response> {
  return fetch(`${address}/studies/${id}/contributions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/octet-stream' },
    body: file as Uint8Array<ArrayBuffer>,
  });
}

/** Asks again until the answer is as wanted; fails after PATIENCE_MS. */
async function until<T>(ask: () => Promise<T>, wanted: (answer: T) => boolean): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (Date.now() > deadline) throw new Error(`not so in time: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const viewOf = async (serving: Reached, id: string, token: string): Promise<StudyView> =>
  jsonOf(call(serving, 'GET', `/studies/${id}`, token));

/** What a socket has received so far, whenever asked. */
function received(socket: Socket): () => string {
  let text = '';
  socket.setEncoding('latin1').on('data', (part) => {
    text += part;
  });
  return () => text;
}

describe('suffice serve', () => {
  it('runs a study, keeps it over a restart, and tells nobody a secret', async () => {
    const data = join(temporaryFolder(), 'data');
    let serving = await startServing(['--data', data]);
    expect(serving.ready).toEqual({
      schema: 'suffice/serving@1',
      address: serving.address,
      store: 'sqlite',
      key: expect.stringMatching(/^[\w-]{43}$/),
      data,
      newStore: true,
      adminTokenFile: join(data, 'admin-token'),
    });
    expect(statSync(join(data, 'admin-token')).mode & 0o777).toBe(0o600);
    expect(statSync(data).mode & 0o077).toBe(0);

    const created = await createStudy(serving, ['north', 'south']);
    const { id, adminToken } = created;
    const tokens = created.invitations.map(({ token }) => token);
    const keys = [createSigningKey(), createSigningKey()];
    for (const [k, site] of ['north', 'south'].entries()) {
      await call(serving, 'PUT', `/studies/${id}/offer`, tokens[k], offerOf(keys[k]));
      if (k === 1) break;
      const sent = await contribute(serving, id, tokens[k], fileOf(site, keys[k]));
      expect(sent.status).toBe(201);
    }
    await fetch(`${serving.address}/studies?token=${tokens[0]}`);
    const before = await viewOf(serving, id, adminToken);
    const logs = [serving.stderr()];
    expect(await serving.stop()).toBe(0);
    logs.push(serving.stderr());

    const operator = serving.operator;
    serving = await startServing(['--data', data]);
    expect(serving.operator).toBe(operator);
    expect((await viewOf(serving, id, adminToken)).sites[0].n).toBe(before.sites[0].n);
    await contribute(serving, id, tokens[1], fileOf('south', keys[1], { seed: 4 }));
    await until(
      () => viewOf(serving, id, adminToken),
      ({ state }) => state === 'resolved',
    );
    expect(await serving.stop('SIGINT')).toBe(0);
    logs.push(serving.stderr(), serving.stdout());

    const all = logs.join('');
    for (const secret of [operator, adminToken, ...tokens, ...keys.map((key) => key.secret)]) {
      expect(all).not.toContain(secret);
      expect(all).not.toContain(secret.slice(4, 20));
    }
    const keysSeen = new Set<string>();
    for (const line of serving.stderr().trimEnd().split('\n')) {
      const entry = JSON.parse(line);
      expect(entry.at).toMatch(/^\d{4}-/);
      for (const key of Object.keys(entry)) keysSeen.add(key);
    }
    const allowed =
      'at level event address store method route status ms bytesIn bytesOut study refused';
    expect([...keysSeen].filter((key) => !allowed.split(' ').includes(key))).toEqual([]);
    expect(serving.stderr()).toContain('"route":"/studies/:study/contributions"');
  });

  it('counts every byte of a site, over connections that are kept', async () => {
    const serving = await servedHere();
    const { id, adminToken, invitations } = await createStudy(serving, ['north']);
    const key = createSigningKey();
    const [{ token }] = invitations;
    const head = (method: string, path: string, body: Uint8Array, type: string) =>
      Buffer.concat([
        Buffer.from(
          `${method} /studies/${id}${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
            `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`,
        ),
        body,
      ]);
    const offer = Buffer.from(JSON.stringify(offerOf(key)));
    const sent = [
      head('PUT', '/offer', offer, 'application/json'),
      head('POST', '/contributions', fileOf('north', key), 'application/octet-stream'),
    ];
    const socket = connect(serving.port, '127.0.0.1');
    const text = received(socket);
    for (const [k, bytes] of sent.entries()) {
      socket.write(bytes);
      const status = k === 0 ? '200 OK' : '201 Created';
      await until(
        async () => text(),
        (answer) => answer.includes(status) && answer.endsWith('}'),
      );
    }
    const up = sent.reduce((sum, bytes) => sum + bytes.length, 0);
    const { sites } = await until(
      () => viewOf(serving, id, adminToken),
      (view) => view.sites[0].traffic!.up >= up,
    );
    expect(sites[0].traffic).toEqual({ up, down: text().length });
    socket.destroy();
  });

  it.runIf(enduring)(
    'finishes what is in flight, ends event streams and lets nobody new in',
    async () => {
      const serving = await startServing(['--data', temporaryFolder()]);
      const { id, adminToken } = await createStudy(serving, ['north']);
      const events = await call(serving, 'GET', `/studies/${id}/events`, adminToken);
      const stream = events.text();
      const upload = connect(serving.port, '127.0.0.1');
      const answer = received(upload);
      const body = JSON.stringify({ site: 'south' });
      upload.write(
        `POST /studies/${id}/invitations HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
      );
      await until(
        async () => (await call(serving, 'GET', '/metrics', serving.operator)).text(),
        (text) => text.includes('suffice_event_streams 1'),
      );
      const exit = serving.stop();
      expect(await stream).toContain('event: created');
      const refused = connect(serving.port, '127.0.0.1');
      await once(refused, 'error');
      expect(serving.child.exitCode).toBeNull();
      upload.write(body.slice(5));
      await once(upload, 'close');
      expect(answer()).toMatch(/^HTTP\/1\.1 201 /);
      expect(answer()).toMatch(/connection: close/i);
      expect(await exit).toBe(0);
    },
  );

  it.runIf(enduring)('ends at once at the second signal', async () => {
    const serving = await startServing(['--data', temporaryFolder()]);
    const { id, adminToken } = await createStudy(serving, ['north']);
    const hanging = connect(serving.port, '127.0.0.1');
    hanging.on('error', () => {});
    hanging.write(
      `POST /studies/${id}/close HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${adminToken}\r\nContent-Length: 9\r\n\r\n{`,
    );
    await until(
      async () => (await fetch(`${serving.address}/healthz`)).status,
      (status) => status === 200,
    );
    serving.child.kill('SIGTERM');
    await until(
      async () => serving.stderr(),
      (log) => log.includes('"stopping"'),
    );
    expect(serving.child.exitCode).toBeNull();
    expect(await serving.stop('SIGTERM')).toBe(1);
  });

  it.runIf(enduring)(
    'refuses early without waiting for the upload, and the sender hears it',
    async () => {
      const serving = await servedHere();
      const response = await fetch(`${serving.address}/studies`, {
        method: 'POST',
        headers: { Authorization: `Bearer sfo_${'x'.repeat(43)}` },
        body: new Uint8Array(5e6),
      });
      expect(response.status).toBe(401);
      const waiting = connect(serving.port, '127.0.0.1');
      const answer = received(waiting);
      waiting.write(
        'POST /studies HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 1000000\r\n\r\n',
      );
      await once(waiting, 'close');
      expect(answer()).toMatch(/^HTTP\/1\.1 401 /); // and never 100 Continue
    },
  );

  it('serves PostgreSQL named by the environment, and never repeats its address', async () => {
    const url = await freshDatabase();
    const cwd = temporaryFolder();
    const serving = await startServing([], { cwd, env: { SUFFICE_DATABASE: url } });
    expect(serving.ready.store).toBe('postgres');
    expect((await fetch(`${serving.address}/healthz`)).status).toBe(200);
    expect((await createStudy(serving, ['north'])).state).toBe('open');
    expect(await serving.stop()).toBe(0);
    expect(serving.stderr() + serving.stdout()).not.toContain('postgres:postgres');

    const { code, stderr } = await suffice(
      'serve',
      '--port',
      '0',
      '--database',
      'postgres://user:hushhush@127.0.0.1:1/none',
    );
    expect([code, stderr.includes('hushhush')]).toEqual([4, false]);
    expect(stderr).toContain('→');
  });

  it.runIf(enduring)(
    'limits by the address its proxy names, and only where it is told of one',
    async () => {
      const tries = async ({ address }: Serving, client: string) => {
        const statuses = await Promise.all(
          Array.from({ length: 60 }, async () => {
            const headers = {
              Authorization: `Bearer sfi_${'x'.repeat(43)}`,
              'X-Forwarded-For': `198.51.100.1, ${client}`,
            };
            return (await fetch(`${address}/studies`, { headers })).status;
          }),
        );
        return new Set(statuses);
      };
      const proxied = await startServing(['--behind-proxy', '--data', temporaryFolder()]);
      expect(await tries(proxied, '192.0.2.1')).toEqual(new Set([401, 429]));
      const other = { 'X-Forwarded-For': '192.0.2.1, 192.0.2.2' };
      expect((await fetch(`${proxied.address}/studies`, { headers: other })).status).toBe(401);
      const direct = await startServing(['--data', temporaryFolder(), '--log', 'none']);
      expect(await tries(direct, '192.0.2.1')).toEqual(new Set([401, 429]));
      expect((await fetch(`${direct.address}/studies`, { headers: other })).status).toBe(429);
      await proxied.stop();
      await direct.stop();
      expect(direct.stderr()).toBe('');
    },
  );

  it('says what to do about flags that cannot be', async () => {
    const open = ['--data', temporaryFolder(), '--host', '0.0.0.0'];
    const serving = await startServing([...open, '--insecure']);
    expect((await fetch(`http://127.0.0.1:${serving.port}/healthz`)).status).toBe(200);
    const data = temporaryFolder();
    for (const [flags, problem] of [
      [['--port', '0'], '--host 0.0.0.0 is reached from other machines, without TLS'],
      [['--port', '0', '--public-url', 'http://study.example'], 'without TLS'],
      [['--port', String(serving.port), '--insecure'], `port ${serving.port} is in use`],
      [['--port', String(serving.port), '--behind-proxy'], 'is in use'],
      [['--port', String(serving.port), '--public-url', 'https://study.example'], 'is in use'],
      [['--port', String(serving.port), '--host', '127.0.0.1'], 'is in use'],
      [['--port', '0', '--host', '127.0.0.1.evil.example'], 'without TLS'],
      [['--port', '70000', '--insecure'], '--port must be'],
      [['--tls-cert', 'x.pem'], 'go together'],
      [['--tls-cert', 'x.pem', '--tls-key', 'y.pem', '--port', '0'], 'x.pem: cannot be read'],
      [['--database', 'postgres://localhost/x'], 'exclude each other'],
      [['--public-url', 'study.example', '--insecure'], '--public-url must'],
    ] as const) {
      const { code, stderr } = await suffice(
        'serve',
        '--data',
        data,
        '--host',
        '0.0.0.0',
        ...flags,
      );
      expect([code, stderr], stderr).toEqual([2, expect.stringContaining(problem)]);
      expect(stderr).toContain('→');
    }
    writeFileSync(join(data, 'token'), 'let me in');
    const { code } = await suffice(
      'serve',
      '--data',
      data,
      '--admin-token-file',
      join(data, 'token'),
    );
    expect(code).toBe(2);
    await serving.stop();
  });

  const openssl = spawnSync('openssl', ['version']).status === 0;
  it.skipIf(!openssl)('speaks TLS, and says so to browsers', async () => {
    const folder = temporaryFolder();
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const made = spawnSync('openssl', [
      ...'req -x509 -newkey rsa:2048 -nodes -days 2'.split(' '),
      ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'],
      ...['-keyout', key, '-out', cert],
    ]);
    expect(made.status, String(made.stderr)).toBe(0);
    const serving = await startServing(['--data', folder, '--tls-cert', cert, '--tls-key', key]);
    expect(serving.address).toMatch(/^https:\/\//);
    const ca = spawnSync('cat', [cert]).stdout;
    const ask = async (path: string) => {
      const asked = httpsRequest(`${serving.address}${path}`, { ca });
      asked.end();
      const [response] = await once(asked, 'response');
      response.resume();
      await once(response, 'end');
      return response;
    };
    const { statusCode, headers } = await ask('/healthz');
    expect([statusCode, headers['strict-transport-security']]).toEqual([200, 'max-age=31536000']);
    const plain = connect(serving.port, '127.0.0.1');
    plain.on('error', () => {});
    plain.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(plain, 'close');
    expect((await ask('/healthz')).statusCode).toBe(200);
    // Only ciphers with forward secrecy.
    const handshake = async (ciphers: string) => {
      const socket = tlsConnect({
        port: serving.port,
        host: '127.0.0.1',
        ca,
        ciphers,
        maxVersion: 'TLSv1.2',
      });
      const outcome = await Promise.race([
        once(socket, 'secureConnect').then(() => socket.getCipher().name),
        once(socket, 'close').then(() => 'refused'),
      ]).catch(() => 'refused');
      socket.destroy();
      return outcome;
    };
    expect(await handshake('AES128-SHA:AES256-GCM-SHA384')).toBe('refused');
    expect(await handshake('ECDHE-RSA-AES128-GCM-SHA256')).toBe('ECDHE-RSA-AES128-GCM-SHA256');
    if (enduring) {
      const silent = connect(serving.port, '127.0.0.1');
      silent.on('error', () => {}).resume();
      const started = Date.now();
      await once(silent, 'close');
      expect(Date.now() - started).toBeLessThan(25_000);
    }
    expect(await serving.stop()).toBe(0);
  });
});

it('a thread resolves as it would be resolved here, and the loop turns meanwhile', async () => {
  const script = new URL('../dist/node/server/conclude-thread.js', import.meta.url).href;
  const { createConcludeThread } = (await import(
    script
  )) as typeof import('../src/node/server/conclude-thread.ts');
  const thread = createConcludeThread();
  const { digest, layout } = agreement(study);
  const decoded = decodeContribution(fileOf('north', createSigningKey()), digest, layout);
  if ('refused' in decoded) throw new Error(decoded.refused);
  const { statistic } = decoded.contribution;
  const query = { questions: [{ about: 'anova' }] } as const;
  const work = { study, total: statistic, contributions: 1, query };
  const here = await concludeHere(work);
  let turns = 0;
  const spin = setInterval(() => turns++, 0);
  const there = await thread.conclude(work);
  clearInterval(spin);
  expect(turns).toBeGreaterThan(0);
  expect(there).toEqual(here);
  // The thread has taken the numbers: nobody holds them twice.
  expect(statistic.values).toHaveLength(0);
  expect('report' in there && there.report.terms?.length).toBe(2);
  expect('answers' in there && there.answers).toHaveLength(1);
  await thread.close();
});
