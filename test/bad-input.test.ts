import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useNativeCrypto } from '../src/node/compute/native-crypto.ts';
import { type Served, serve } from '../src/node/server/serve.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import type {
  InvitationSecret,
  OfferAnswer,
  Problem,
  StudyCreated,
  StudyView,
} from '../src/protocol/messages.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { temporaryFolder } from './cli.ts';
import { cases, enduring } from './endurance.ts';
import {
  dump,
  fileOf,
  jsonOf,
  offerOf,
  openSession,
  otherStudy,
  type Session,
  shakeHands,
  study,
} from './http-study.ts';
import { oneStore } from './stores.ts';

useNativeCrypto();

const octets = { 'Content-Type': 'application/octet-stream' };

/** Numbers that look random and are the same in every run. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Bytes that are no contribution: noise, or a real file that was cut, lengthened or bent. */
function spoiled(file: Uint8Array, random: (below: number) => number): Uint8Array {
  const kind = random(20);
  if (kind < 9) return Uint8Array.from({ length: random(300) }, () => random(256));
  if (kind < 16) return file.slice(0, random(file.length));
  if (kind < 18) return Uint8Array.from([...file, ...Array(1 + random(9)).fill(random(256))]);
  const bent = file.slice();
  const header = 8 + new TextDecoder().decode(file).lastIndexOf('}') - 7;
  // Not in the padding of the header, where one blank is as good as another.
  const start = new DataView(file.buffer).getUint32(0, true) + 8;
  const place = random(header + file.length - start);
  bent[place < header ? place : place - header + start] ^= 1 << random(8);
  return kind === 18 ? bent : bent.slice(0, 1 + random(bent.length));
}

/** That all answers were refusals, of every kind but one: 403 needs a bit that is wrong only to the signature, and of a hundred bodies, with new keys, at times none has it. */
function expectRefusals(seen: readonly number[]): void {
  const refusals = [400, 403, 422];
  expect(refusals).toEqual(expect.arrayContaining([...seen]));
  expect(seen).toEqual(expect.arrayContaining(enduring ? refusals : [400, 422]));
}

/** Texts that are no message: noise, JSON of the wrong shape, keys that should not matter. */
function nonsense(random: (below: number) => number): string {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    '"site"',
    '"__proto__"',
    ':',
    ',',
    '1e999',
    'null',
    '"..\\u0000"',
  ];
  if (random(2) === 0) return Array.from({ length: random(20) }, () => pieces[random(11)]).join('');
  const value = [1, null, [], 'x', { a: 1 }, true, -0.5, '\ud800'][random(8)];
  const key = ['site', 'withdrawal', 'columns', 'key', 'deadline', '__proto__', 'x'][random(7)];
  return JSON.stringify({ [key]: value, y: [value] });
}

oneStore('bad input', (open) => {
  let session: Session;
  let before: string;
  beforeAll(async () => {
    session = await openSession(await open(), ['north', 'south', 'west', 'gone', 'old']);
    await shakeHands(session, 'north', 'south', 'gone', 'old');
    await session.send('south', fileOf('south', session.keys.south));
    const { path, admin: token, ask } = session;
    await ask('DELETE', `${path}/invitations/gone`, { token });
    const expires = new Date(Date.now() + 40).toISOString();
    const json = { site: 'old', expires };
    const answer = await ask('POST', `${path}/invitations`, { token, json });
    (session.tokens as Record<string, string>).old = (await jsonOf<InvitationSecret>(answer)).token;
    while (new Date().toISOString() <= expires) await new Promise((go) => setTimeout(go, 10));
    before = await dump(session.store);
  });

  const refused = async (asked: Promise<Response>, status: number, code: string) => {
    const response = await asked;
    const body = await jsonOf<Problem>(response);
    expect([response.status, body.code]).toEqual([status, code]);
    expect(await dump(session.store)).toBe(before);
    expect((await session.ask('GET', '/healthz')).status).toBe(200);
  };
  const file = (site: string, options = {}) => fileOf(site, session.keys[site], options);

  it('for another study', async () => {
    await refused(
      session.send('north', file('north', { about: otherStudy })),
      422,
      'unprocessable',
    );
    const grid = file('north', { about: { ...study, grid: 66 } });
    await refused(session.send('north', grid), 422, 'unprocessable');
  });

  it('of the wrong shape', async () => {
    const bytes = file('north');
    const text = new TextDecoder('latin1').decode(bytes).replace('"shape":[6', '"shape":[5');
    const bent = Uint8Array.from(text, (character) => character.charCodeAt(0));
    await refused(session.send('north', bent), 422, 'unprocessable');
    await refused(session.send('north', new Uint8Array(0)), 422, 'unprocessable');
  });

  it('truncated, or too long by a byte', async () => {
    const bytes = file('north');
    for (const length of [1, 7, 8, 100, bytes.length - 1]) {
      await refused(session.send('north', bytes.slice(0, length)), 422, 'unprocessable');
    }
    await refused(session.send('north', Uint8Array.from([...bytes, 0])), 422, 'unprocessable');
  });

  it('oversized, by its own word or chunk by chunk', async () => {
    const large = new Uint8Array(1e6);
    const known = { 'Content-Length': String(large.length) };
    await refused(session.send('north', large, known), 413, 'too-large');
    const endless = new ReadableStream<Uint8Array>({ pull: (c) => c.enqueue(new Uint8Array(1e4)) });
    const { path, tokens, ask } = session;
    const asking = { token: tokens.north, headers: octets, body: endless };
    await refused(ask('POST', `${path}/contributions`, asking), 413, 'too-large');
    const json = { key: 'x'.repeat(2e6) };
    await refused(ask('PUT', `${path}/offer`, { token: tokens.north, json }), 413, 'too-large');
  });

  it('a gzip bomb, and gzip that is none', async () => {
    const gzip = { 'Content-Encoding': 'gzip' };
    await refused(session.send('north', gzipSync(Buffer.alloc(2e7)), gzip), 413, 'too-large');
    await refused(session.send('north', file('north'), gzip), 400, 'bad-request');
    const cut = gzipSync(file('north')).subarray(0, 200);
    await refused(session.send('north', cut, gzip), 400, 'bad-request');
  });

  it('replayed under another name, or by another site', async () => {
    await refused(session.send('north', file('south')), 403, 'not-allowed');
    const { path, tokens, ask } = session;
    const south = { token: tokens.south, headers: octets, body: file('north') };
    await refused(ask('POST', `${path}/contributions`, south), 403, 'not-allowed');
    const again = await session.send('south', file('south'));
    expect(again.status).toBe(200); // the same bytes again change nothing
    expect(await dump(session.store)).toBe(before);
  });

  it('a second, different contribution, or one out of turn', async () => {
    await refused(session.send('south', file('south', { seed: 5 })), 409, 'conflict');
    const later = file('south', { turn: { sequence: 3, mode: 'add' } });
    await refused(session.send('south', later), 409, 'conflict');
  });

  it('with a forged signature, another key or none', async () => {
    const other = fileOf('north', createSigningKey());
    await refused(session.send('north', other), 403, 'not-allowed');
    // The last letter of a signature has four bits that say nothing; they must be zero.
    const text = new TextDecoder('latin1').decode(file('north'));
    const twin = text.replace(
      /(?<="signature":".{85})./,
      (letter) => ({ A: 'B', Q: 'R', g: 'h', w: 'x' })[letter]!,
    );
    const twinned = Uint8Array.from(twin, (character) => character.charCodeAt(0));
    await refused(session.send('north', twinned), 403, 'not-allowed');
    const bytes = file('north');
    bytes[bytes.length - 16] ^= 1; // one more in the last entry
    const { status, code } = await session.send('north', bytes).then(async (response) => ({
      status: response.status,
      code: (await jsonOf<Problem>(response)).code,
    }));
    expect([`403 not-allowed`, `422 unprocessable`]).toContain(`${status} ${code}`);
    expect(await dump(session.store)).toBe(before);
    const json = offerOf(createSigningKey());
    const { path, tokens, ask } = session;
    await refused(ask('PUT', `${path}/offer`, { token: tokens.south, json }), 409, 'conflict');
  });

  it('with an invitation that is revoked, expired, unknown, or of no site', async () => {
    await refused(session.send('gone', file('gone')), 401, 'no-token');
    await refused(session.send('old', file('old')), 401, 'no-token');
    const { path, ask, admin, operator } = session;
    const asking = { headers: octets, body: file('north') };
    const to = `${path}/contributions`;
    const token = `sfi_${'A'.repeat(43)}`;
    await refused(ask('POST', to, { ...asking, token }), 401, 'no-token');
    await refused(ask('POST', to, asking), 401, 'no-token');
    for (const wrong of [admin, operator]) {
      await refused(ask('POST', to, { ...asking, token: wrong }), 403, 'not-allowed');
    }
  });

  it('messages with keys nobody asked for, or of the wrong kind', async () => {
    const { path, ask, admin: token, tokens, operator } = session;
    const bad: readonly [string, string, unknown][] = [
      ['POST', `${path}/close`, { now: true }],
      ['POST', `${path}/extend`, {}],
      ['POST', `${path}/extend`, { deadline: 'tomorrow' }],
      ['POST', `${path}/resolutions`, { includeLate: 'yes' }],
      ['POST', `${path}/invitations`, { site: '../etc' }],
      ['POST', `${path}/invitations`, { site: 'x', __proto__: null, expires: 5 }],
      ['POST', `${path}/withdrawals`, { site: 'north', withdrawal: {} }],
    ];
    for (const [method, to, json] of bad) {
      await refused(ask(method, to, { token, json }), 400, 'bad-request');
    }
    const offer = { ...offerOf(session.keys.north), rows: 12 };
    await refused(
      ask('PUT', `${path}/offer`, { token: tokens.north, json: offer }),
      400,
      'bad-request',
    );
    for (const sites of [[], ['a', 'a'], ['.']]) {
      const json = { study: otherStudy, sites };
      await refused(ask('POST', '/studies', { token: operator, json }), 400, 'bad-request');
    }
    const json = { study, sites: ['a'] };
    await refused(ask('POST', '/studies', { token: operator, json }), 409, 'conflict');
    const formula = { study: { ...study, formula: 'y ~ nowhere' }, sites: ['a'] };
    const wrong = await ask('POST', '/studies', { token: operator, json: formula });
    expect(wrong.status).toBe(422);
  });
});

/** `npm run endure` goes on to 100,000 from the same start. */
const BODIES = enduring ? 100_000 : 100;

it(`${BODIES.toLocaleString('en')} random bodies change nothing`, async () => {
  const store = await openSqliteStore(join(temporaryFolder(), 'random.db'));
  const session = await openSession(store);
  await shakeHands(session, 'north');
  const { path, tokens, admin, ask } = session;
  const file = fileOf('north', session.keys.north);
  const random = generator(3);
  const before = await dump(store);
  const seen = new Map<number, number>();
  const one = async () => {
    const kind = random(60);
    const json = { 'Content-Type': 'application/json' };
    const north = { token: tokens.north, headers: json, body: nonsense(random) };
    const response =
      kind < 36
        ? session.send(
            'north',
            spoiled(file, random),
            kind === 0 ? { 'Content-Encoding': 'gzip' } : {},
          )
        : kind < 44
          ? ask('PUT', `${path}/offer`, north)
          : kind < 52
            ? ask('POST', `${path}/withdrawals`, north)
            : ask('POST', `${path}/invitations`, { ...north, token: admin });
    const { status } = await response;
    seen.set(status, (seen.get(status) ?? 0) + 1);
  };
  // One token may send two contributions at a time.
  for (let done = 0; done < BODIES; done += 2) {
    await Promise.all([one(), one()]);
  }
  expectRefusals([...seen.keys()]);
  expect(await dump(store)).toBe(before);
  expect((await ask('GET', '/healthz')).status).toBe(200);
  expect((await session.send('north', file)).status).toBe(201); // the real one is still taken
  await store.close();
});

describe('over real sockets', () => {
  const data = temporaryFolder();
  let served: Served;
  let port: number;
  beforeAll(async () => {
    served = await serve({ data, port: 0, log: 'none', rateLimits: 'off' });
    port = Number(new URL(served.address).port);
  });
  afterAll(() => served.stop());

  /** What comes back for these bytes until the server hangs up or is silent. */
  const raw = async (bytes: string | Uint8Array): Promise<string> => {
    const socket = connect(port, '127.0.0.1');
    const parts: Buffer[] = [];
    socket.on('data', (part) => parts.push(part));
    socket.on('error', () => {});
    socket.write(bytes);
    const closed = once(socket, 'close');
    socket.end();
    await closed;
    return Buffer.concat(parts).toString('latin1');
  };
  const healthy = async () => expect((await fetch(`${served.address}/healthz`)).status).toBe(200);

  it('paths that lead elsewhere lead nowhere', async () => {
    const tricks = [
      '/../../etc/passwd',
      '/assets/../../package.json',
      '/assets/..%2f..%2fpackage.json',
      '/assets/%2e%2e/%2e%2e/package.json',
      '/assets/....//....//package.json',
      '/assets/..\\..\\package.json',
      '/assets/..%5c..%5cpackage.json',
      '/assets/%00',
      '/assets/study.js%00.css',
      '/assets//etc/passwd',
      '//etc/passwd',
      '/assets/%252e%252e/package.json',
      '/assets/%c0%ae%c0%ae/package.json',
      '/%',
      '/studies/%2e%2e/healthz',
      '/studies/..;/healthz',
      `/${'a'.repeat(5000)}`,
      'http://elsewhere/etc/passwd',
      '*',
    ];
    for (const path of tricks) {
      const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(answer, path).toMatch(/^HTTP\/1\.1 (400|404) /);
      expect(answer, path).toMatch(/content-security-policy/i);
      expect(answer, path).not.toContain('"devDependencies"');
      expect(answer, path).not.toContain('root:');
    }
    await healthy();
  });

  it('what is not HTTP gets a plain 400 with the headers, or nothing', async () => {
    const random = generator(11);
    const openings = [
      '',
      'GET / HTTP/1.1\r\n',
      'POST /studies HTTP/1.1\r\nContent-Length: 10\r\n\r\n',
      'POST /studies HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
      'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
      '\x16\x03\x01\x02\x00',
    ];
    const batch = () =>
      Array.from({ length: 40 }, async () => {
        const noise = Uint8Array.from({ length: 1 + random(200) }, () => random(256));
        const answer = await raw(
          Buffer.concat([Buffer.from(openings[random(7)], 'latin1'), noise]),
        );
        if (answer !== '')
          expect(answer).toMatch(/^HTTP\/1\.1 4\d\d [\s\S]*content-security-policy/i);
      });
    for (let k = 0; k < cases(25); k++) await Promise.all(batch());
    const header = `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'y'.repeat(40_000)}\r\n\r\n`;
    expect(await raw(header)).toMatch(/^HTTP\/1\.1 431 [\s\S]*content-security-policy/i);
    await healthy();
  });

  it('random bodies change nothing', async () => {
    const operator = readFileSync(served.operatorTokenFile!, 'utf8').trim();
    const sites = ['north'];
    const created = await jsonOf<StudyCreated>(
      fetch(`${served.address}/studies`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${operator}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ study, sites }),
      }),
    );
    const key = createSigningKey();
    const token = created.invitations[0].token;
    const path = `${served.address}/studies/${created.id}`;
    const authorization = { Authorization: `Bearer ${token}` };
    const offered = await fetch(`${path}/offer`, {
      method: 'PUT',
      headers: { ...authorization, 'Content-Type': 'application/json' },
      body: JSON.stringify(offerOf(key)),
    });
    expect((await jsonOf<OfferAnswer>(offered)).accepted).toBe(true);
    const file = fileOf('north', key);
    const random = generator(7);
    const seen = new Set<number>();
    const one = async () => {
      const gzip = random(4) === 0 ? { 'Content-Encoding': 'gzip' } : {};
      const response = await fetch(`${path}/contributions`, {
        method: 'POST',
        headers: { ...authorization, ...octets, ...gzip },
        body: spoiled(file, random) as Uint8Array<ArrayBuffer>,
      });
      await response.arrayBuffer();
      seen.add(response.status);
    };
    for (let k = 0; k < (enduring ? 250 : 60); k++) await Promise.all([one(), one()]);
    expectRefusals([...seen]);
    const view = await jsonOf<StudyView>(fetch(path, { headers: authorization }));
    expect([view.state, view.you?.nextSequence]).toEqual(['open', 1]);
    const real = await fetch(`${path}/contributions`, {
      method: 'POST',
      headers: { ...authorization, ...octets },
      body: file as Uint8Array<ArrayBuffer>,
    });
    expect(real.status).toBe(201);
    await healthy();
  });

  it('an upload cut in the middle leaves nothing behind', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write('POST /studies HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"study"');
    await once(socket, 'data'); // it needs no body to say 401
    socket.destroy();
    await healthy();
  });
});
