import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { createApp, type RequestRecord } from '../src/coordinator/http/app.ts';
import type {
  AuditEntry,
  Problem,
  ResolutionLine,
  SealedAuditLog,
  SealedErasure,
  SealedReceipt,
  SealedResolution,
  StudyView,
} from '../src/protocol/messages.ts';
import { openapi } from '../src/protocol/openapi.ts';
import { operationRows } from '../src/protocol/operations.ts';
import { createSigningKey, isSealed } from '../src/protocol/signature.ts';
import {
  fileOf,
  jsonOf,
  offerOf,
  openSession,
  request,
  type Session,
  shakeHands,
} from './http-study.ts';
import { oneStore } from './stores.ts';

const securityHeaders = [
  'content-security-policy',
  'x-content-type-options',
  'referrer-policy',
  'permissions-policy',
  'cross-origin-opener-policy',
  'cross-origin-resource-policy',
  'cache-control',
];

async function problemOf(response: Response): Promise<[number, string]> {
  const { schema, code, problem, remedy } = await jsonOf<Problem>(response);
  expect(schema).toBe('suffice/problem@1');
  expect(problem).not.toBe('');
  expect(remedy).not.toBe('');
  return [response.status, code];
}

/** Events of a stream until one has the name. */
async function eventsUntil(response: Response, name: string): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  let text = '';
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return entries;
    text += value;
    const blocks = text.split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data === undefined) continue;
      const entry: AuditEntry = JSON.parse(data);
      expect(block).toBe(`id: ${entry.position}\nevent: ${entry.event}\ndata: ${data}`);
      entries.push(entry);
    }
    if (entries.some((entry) => entry.event === name)) {
      await reader.cancel();
      return entries;
    }
  }
}

oneStore('a study over HTTP', (open) => {
  let session: Session;
  const exchanges: RequestRecord[] = [];
  beforeAll(async () => {
    const store = await open();
    session = await openSession(store, ['north', 'south', 'Saint-Étienne 1%'], {
      observe: (exchange) => exchanges.push(exchange),
    });
  });
  const view = async (token: string): Promise<StudyView> =>
    jsonOf(session.ask('GET', session.path, { token }));

  it('shows the study to each party, and only to them', async () => {
    const { admin, operator, tokens, path, ask } = session;
    for (const token of [admin, operator, tokens.north]) {
      expect((await ask('GET', path, { token })).status).toBe(200);
    }
    expect((await view(tokens.north)).you).toEqual({ site: 'north', nextSequence: 1 });
    expect(await problemOf(await ask('GET', path))).toEqual([401, 'no-token']);
    expect(await problemOf(await ask('GET', '/studies', { token: admin }))).toEqual([
      403,
      'not-allowed',
    ]);
    const other = '/studies/0123456789abcdef';
    expect(await problemOf(await ask('GET', other, { token: admin }))).toEqual([
      403,
      'not-allowed',
    ]);
    expect(await problemOf(await ask('GET', other, { token: operator }))).toEqual([
      404,
      'not-found',
    ]);
    expect(await problemOf(await ask('GET', '/studies/x', { token: operator }))).toEqual([
      404,
      'not-found',
    ]);
  });

  it('takes offers from sites alone', async () => {
    const { keys, tokens, path, ask } = session;
    const json = offerOf(keys.north);
    for (const token of [session.admin, session.operator]) {
      const refused = await ask('PUT', `${path}/offer`, { token, json });
      expect(await problemOf(refused)).toEqual([403, 'not-allowed']);
    }
    const declined = await ask('PUT', `${path}/offer`, {
      token: tokens.north,
      json: { ...json, columns: [] },
    });
    expect(await declined.json()).toMatchObject({ accepted: false });
  });

  it('acknowledges with a signed receipt, the same one for a repetition, gzip or not', async () => {
    const { keys, tokens, path, ask, send } = session;
    const file = fileOf('north', keys.north);
    const first = await send('north', file);
    expect(first.status).toBe(201);
    const receipt = await jsonOf<SealedReceipt>(first);
    expect(isSealed(receipt)).toBe(true);
    const again = await send('north', gzipSync(file), { 'Content-Encoding': 'gzip' });
    expect(again.status).toBe(200);
    expect(await again.json()).toEqual(receipt);
    const stranger = await send('north', fileOf('north', createSigningKey()));
    expect(await problemOf(stranger)).toEqual([403, 'not-allowed']);
    const list = await ask('GET', `${path}/contributions`, { token: tokens.north });
    expect(await list.json()).toEqual({ schema: 'suffice/receipts@1', receipts: [receipt] });
  });

  it('tells watchers everything from where they left off', async () => {
    const { tokens, path, app } = session;
    const watch = (last?: number) =>
      app.fetch(
        request('GET', `${path}/events`, {
          token: tokens.south,
          headers: last === undefined ? {} : { 'Last-Event-ID': String(last) },
        }),
      );
    const response = await watch();
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const entries = await eventsUntil(response, 'contributed');
    expect(entries.map((entry) => entry.position)).toEqual(entries.map((_, k) => k + 1));
    const last = entries.at(-1)!.position;
    const later = watch(last).then((stream) => eventsUntil(stream, 'offer-accepted'));
    await shakeHands(session, 'south');
    const next = await later;
    expect(next[0].position).toBe(last + 1);
  });

  it('revokes, withdraws, closes, resolves and answers late ones with 202', async () => {
    const { keys, admin, tokens, path, ask, send, coordinator } = session;
    const name = 'Saint-Étienne 1%';
    const gone = await ask('DELETE', `${path}/invitations/${encodeURIComponent(name)}`, {
      token: admin,
    });
    expect(gone.status).toBe(204);
    expect((await ask('GET', path, { token: tokens[name] })).status).toBe(401);

    await ask('POST', `${path}/close`, { token: admin });
    await coordinator.runDueWork();
    expect((await view(admin)).state).toBe('resolved');

    const late = await send('south', fileOf('south', keys.south, { seed: 2 }));
    expect([late.status, (await jsonOf<SealedReceipt>(late)).late]).toEqual([202, true]);
    const same = await send('south', fileOf('south', keys.south, { seed: 2 }));
    expect(same.status).toBe(200);

    const latest = await jsonOf<SealedResolution>(
      ask('GET', `${path}/resolutions/latest`, { token: admin }),
    );
    expect([latest.number, latest.missing.includes('south')]).toEqual([1, true]);
    const second = await ask('POST', `${path}/resolutions`, {
      token: admin,
      json: { includeLate: true },
    });
    expect(second.status).toBe(201);
    expect((await jsonOf<SealedResolution>(second)).number).toBe(2);
    const list = await jsonOf<{ resolutions: readonly ResolutionLine[] }>(
      ask('GET', `${path}/resolutions`, { token: tokens.south }),
    );
    expect(list.resolutions.map((line) => line.number)).toEqual([1, 2]);
    for (const number of ['0', '3', 'x', '-1', '1e0']) {
      const none = await ask('GET', `${path}/resolutions/${number}`, { token: admin });
      expect(await problemOf(none)).toEqual([404, 'not-found']);
    }
    const own = await ask('POST', `${path}/withdrawals`, {
      token: tokens.south,
      json: { site: 'north' },
    });
    expect(await problemOf(own)).toEqual([403, 'not-allowed']);
    const out = await ask('POST', `${path}/withdrawals`, { token: admin, json: { site: 'north' } });
    expect([out.status, isSealed(await jsonOf<SealedErasure>(out))]).toEqual([200, true]);
    const log = await jsonOf<SealedAuditLog>(ask('GET', `${path}/audit-log`, { token: admin }));
    expect(isSealed(log)).toBe(true);
  });

  it('shows metrics to the operator only', async () => {
    const { ask, admin, tokens, operator } = session;
    for (const [token, refusal] of [
      [undefined, [401, 'no-token']],
      [admin, [403, 'not-allowed']],
      [tokens.south, [403, 'not-allowed']],
    ] as const) {
      const answer = await ask('GET', '/metrics', token === undefined ? {} : { token });
      const text = await answer.clone().text();
      expect(await problemOf(answer)).toEqual(refusal);
      expect(text).not.toContain('suffice_');
    }
    expect((await ask('GET', '/metrics', { token: operator })).status).toBe(200);
  });

  it('counts the tables of the store once for many that ask for metrics', async () => {
    let asked = 0;
    const { coordinator, operator } = session;
    const counting = createApp(
      {
        ...coordinator,
        gauges: () => {
          asked++;
          return coordinator.gauges();
        },
      },
      { rateLimits: 'off' },
    );
    const ask = () => counting.fetch(request('GET', '/metrics', { token: operator }));
    const answers = await Promise.all(Array.from({ length: 20 }, ask));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await (await ask()).text()).toContain('suffice_studies_');
    expect(asked).toBe(1);
  });

  it('names routes by pattern in what it tells logs and metrics, and counts', async () => {
    const known = new Set(Object.values(operationRows).map((route) => route.path));
    expect(exchanges.filter(({ route }) => !known.has(route))).toEqual([]);
    expect(exchanges.every(({ milliseconds }) => milliseconds >= 0)).toBe(true);
    const text = await (await session.ask('GET', '/metrics', { token: session.operator })).text();
    expect(text).toContain('suffice_contributions_total{outcome="accepted"} 2');
    expect(text).toContain('suffice_contributions_total{outcome="repeated"} 2');
    expect(text).toContain('suffice_contributions_total{outcome="refused"} 1');
    expect(text).toContain('suffice_event_streams 0');
    expect(text).not.toContain(session.created.id);
    for (const line of text.trimEnd().split('\n')) {
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{[^}]*\})? -?[\d.e+-]+)$/);
    }
  });
});

oneStore('every kind of response', (open) => {
  let session: Session;
  beforeAll(async () => {
    session = await openSession(await open(), ['north'], {
      pages: async (path) => {
        if (path === '/assets/broken.js') throw new Error('no disk');
        if (path !== '/join') return undefined;
        return { body: new Uint8Array([60]), type: 'text/html', tag: 'a', cached: 'checked' };
      },
    });
    await shakeHands(session, 'north');
  });

  it('carries the security headers', async () => {
    const { app, operator, path, tokens, keys } = session;
    const tag = (await session.ask('GET', '/join')).headers.get('etag')!;
    const octets = { 'Content-Type': 'application/octet-stream' };
    const north = { token: tokens.north };
    const cases: readonly [number, Request][] = [
      [200, request('GET', '/healthz')],
      [200, request('HEAD', '/healthz')],
      [200, request('GET', '/')],
      [200, request('GET', '/join')],
      [304, request('GET', '/join', { headers: { 'If-None-Match': tag } })],
      [404, request('GET', '/study')],
      [404, request('GET', '/assets/none.js')],
      [404, request('GET', '/nowhere')],
      [404, request('POST', '/nowhere', { json: {} })],
      [400, request('GET', '/studies/%ff')],
      [401, request('GET', '/studies')],
      [401, request('HEAD', '/studies')],
      [403, request('GET', '/studies', north)],
      [405, request('DELETE', '/healthz')],
      [405, request('PATCH', path, { token: operator })],
      [405, request('OPTIONS', '/studies')],
      [413, request('POST', `${path}/close`, { token: operator, json: 'x'.repeat(2 ** 16) })],
      [415, request('POST', '/studies', { token: operator, body: '{"a": 1}' })],
      [400, request('POST', '/studies', { token: operator, json: { sites: [] } })],
      [415, request('POST', `${path}/contributions`, { ...north, body: 'x' })],
      [422, request('POST', `${path}/contributions`, { ...north, body: 'x', headers: octets })],
      [200, request('GET', `${path}/events`, north)],
      [200, request('HEAD', `${path}/events`, north)],
      [500, request('GET', '/assets/broken.js')],
      [
        201,
        request('POST', `${path}/contributions`, {
          ...north,
          body: fileOf('north', keys.north),
          headers: octets,
        }),
      ],
    ];
    for (const [status, asked] of cases) {
      const secure = status % 2 === 0;
      const response = await app.fetch(asked, { address: '::1', secure });
      expect([status, asked.method, asked.url]).toEqual([response.status, asked.method, asked.url]);
      for (const name of securityHeaders) expect(response.headers.get(name), name).not.toBeNull();
      expect(response.headers.has('strict-transport-security')).toBe(secure);
      if (status === 401) expect(response.headers.get('www-authenticate')).toBe('Bearer');
      if (status === 405) expect(response.headers.get('allow')).toMatch(/^[A-Z, ]+$/);
      if (asked.method === 'HEAD') expect(response.body).toBeNull();
      await response.body?.cancel();
    }
  });

  it('answers 503 where the store does not, and says nothing about why', async () => {
    const broken = await openSession(await open(), ['north']);
    await broken.store.close();
    const health = await broken.ask('GET', '/healthz');
    expect(await problemOf(health)).toEqual([503, 'store-unavailable']);
    const study = await broken.ask('GET', broken.path, { token: broken.admin });
    expect(study.headers.get('retry-after')).toBe('1');
    expect(await problemOf(study)).toEqual([503, 'store-unavailable']);
  });
});

describe('the OpenAPI document', () => {
  const document = openapi() as {
    readonly paths: Record<string, Record<string, { readonly responses: object }>>;
    readonly components: { readonly schemas: Record<string, unknown> };
  };

  it('has every route of the table and no other', () => {
    const told = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { responses }]) => `${method} ${path} ${Object.keys(responses)}`,
      ),
    );
    const table = Object.values(operationRows).map(
      ({ method, path, answers }) =>
        `${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')} ${[...Object.keys(answers), 'default']}`,
    );
    expect(told.sort()).toEqual(table.sort());
  });

  it('names nothing that it does not define', () => {
    const text = JSON.stringify(document);
    const names = Array.from(text.matchAll(/"\$ref":"([^"]*)"/g), ([, name]) => name);
    expect(names.length).toBeGreaterThan(20);
    const known = Object.keys(document.components.schemas).map(
      (name) => `#/components/schemas/${name}`,
    );
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
    expect(known.filter((name) => !names.includes(name))).toEqual([]);
  });

  it('gives every operation its own name and every path parameter a place', () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).map((operation) => ({ path, ...(operation as Operation) })),
    );
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const { path, parameters = [] } of operations) {
      const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
      expect(parameters.map(({ name }) => name)).toEqual(inPath);
    }
  });
});

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly responses: object;
}
