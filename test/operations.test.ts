import { beforeAll, describe, expect, it } from 'vitest';
import { accessRow, newToken } from '../src/coordinator/access.ts';
import { operationsOf } from '../src/coordinator/handlers.ts';
import { createApp } from '../src/coordinator/http/app.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { studyClient } from '../src/protocol/client.ts';
import type { Problem } from '../src/protocol/messages.ts';
import { openapi } from '../src/protocol/openapi.ts';
import type { Operation, Role } from '../src/protocol/operation.ts';
import { operationClient } from '../src/protocol/operation-client.ts';
import { operationRows, operations } from '../src/protocol/operations.ts';
import { createTransport } from '../src/protocol/transport.ts';
import { temporaryFolder } from './cli.ts';
import { jsonOf, openSession, request, type Session } from './http-study.ts';

const rows = Object.entries(operationRows);
const document = openapi() as unknown as Document;
const address = 'http://localhost';
const openPath = (path: string) => path.replaceAll(/:(\w+)/g, '{$1}');

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, DescribedMessage>> };
}

interface Described {
  readonly operationId: string;
  readonly 'x-roles'?: readonly Role[];
}

interface DescribedMessage {
  readonly properties?: { readonly schema?: { readonly const: string } };
}

const openToken = newToken('open');
let session: Session;
beforeAll(async () => {
  session = await openSession(await openSqliteStore(`${temporaryFolder()}/store.db`), ['north']);
  const holder = { role: 'open', study: session.created.id, site: null } as const;
  const row = accessRow(openToken, holder, new Date().toISOString());
  await session.store.write('', (db) => db.insertInto('access').values(row).execute());
});

/** A token of each role in the study of the session. */
const tokenOf = (role: Role) =>
  ({
    operator: session.operator,
    study: session.admin,
    site: session.tokens.north,
    open: openToken,
  })[role];

/** Asks for an operation with a body that none takes, so that nothing is changed. */
const ask = ({ method, path }: Operation, role?: Role) => {
  const place = path.replace(':study', session.created.id).replace(':site', 'nobody');
  return session.app.fetch(
    request(method, place.replace(':number', '7'), {
      ...(role === undefined ? {} : { token: tokenOf(role) }),
      ...(method === 'POST' || method === 'PUT' ? { body: 'no message' } : {}),
    }),
  );
};

describe.each(rows)('the operation %s', (name, row) => {
  it('has a route of its own', async () => {
    const same = rows.filter(([, { method, path }]) => method === row.method && path === row.path);
    expect(same.map(([one]) => one)).toEqual([name]);
    const response = await ask(row, row.who[0]);
    expect([401, 403, 405, 500]).not.toContain(response.status);
    if (response.status !== 404) return response.body?.cancel();
    expect((await jsonOf<Problem>(response)).problem).not.toBe('there is nothing at this address');
  });

  it('refuses other roles, and whoever has no token', async () => {
    const roles: readonly Role[] = ['operator', 'study', 'site'];
    const needsToken = row.who.length > 0;
    expect((await ask(row)).status === 401).toBe(needsToken);
    for (const role of roles.filter((one) => needsToken && !row.who.includes(one))) {
      const response = await ask(row, role);
      expect([role, response.status]).toEqual([role, 403]);
      expect((await jsonOf<Problem>(response)).code).toBe('not-allowed');
    }
  });

  it('has one place in the OpenAPI document', () => {
    const { paths, components } = document;
    const found = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { operationId }]) => operationId === row.id)
        .map(([method, described]) => [method.toUpperCase(), path, described['x-roles'] ?? []]),
    );
    expect(found).toEqual([[row.method, openPath(row.path), row.who]]);
    for (const { message } of Object.values(row.answers)) {
      if (message === undefined || message === 'InvitationSecret') continue;
      // The client knows a message by its schema, which is its name in kebab case.
      const kebab = message.replaceAll(/\B[A-Z]/g, '-$&').toLowerCase();
      const tag = components.schemas[message].properties?.schema?.const;
      expect(tag).toBe(`suffice/${kebab}@1`);
    }
  });

  it('has one function in the client, and one in the coordinator', () => {
    const transport = createTransport(address, session.admin);
    const link = {
      coordinator: address,
      purpose: 'study',
      study: session.created.id,
      token: session.admin,
      coordinatorKey: session.created.coordinatorKey,
    } as const;
    const asked: Readonly<Record<string, unknown>> = { ...operationClient(operations, transport) };
    expect(typeof asked[name]).toBe(name === 'events' ? 'undefined' : 'function');
    const ofStudy: Readonly<Record<string, unknown>> = { ...studyClient(link) };
    const onStudy = row.path.startsWith('/studies/:study');
    expect(typeof ofStudy[name]).toBe(onStudy ? 'function' : 'undefined');
    const own = [
      'health',
      'metrics',
      'openapi',
      'contribute',
      'contributeAsDevice',
      'sendBlock',
      'contributeBlocks',
      'events',
    ];
    const handled = Object.keys(operationsOf({} as never));
    expect(handled.filter((one) => one === name)).toEqual(own.includes(name) ? [] : [name]);
  });
});

describe('an operation that is added: a row and a handler', () => {
  const table = {
    ...operations,
    greet: {
      id: 'greetSite',
      method: 'POST',
      path: '/studies/:study/greetings/:word',
      who: ['site'],
      summary: 'Say a word back',
      request: { message: 'ExtendStudy' },
      answers: { 201: { description: 'the word', message: 'InvitationSecret' } },
    },
  } as const;
  const extended = () => {
    const greet = async (_: unknown, study: string, word: string, body: { deadline: string }) => ({
      site: `${word} ${study}`,
      token: body.deadline,
    });
    const coordinator = { ...session.coordinator, greet };
    return createApp(coordinator, { operations: table, rateLimits: 'off' });
  };
  const clientOf = (role: Role) => {
    const app = extended();
    const transport = createTransport(address, tokenOf(role), {
      fetch: (url, init) => app.fetch(new Request(url, init)),
    });
    return operationClient(table, transport);
  };
  const deadline = '2030-01-01T00:00:00Z';

  it('is served to its roles', async () => {
    const { id } = session.created;
    const path = `/studies/${id}/greetings/hello`;
    const token = session.tokens.north;
    const app = extended();
    const answer = await app.fetch(request('POST', path, { token, json: { deadline } }));
    expect(answer.status).toBe(201);
    expect(await answer.json()).toEqual({ site: `hello ${id}`, token: deadline });
    const cases: readonly [number, Request][] = [
      [400, request('POST', path, { token, json: {} })],
      [401, request('POST', path, { json: { deadline } })],
      [403, request('POST', path, { token: session.admin, json: { deadline } })],
      [405, request('GET', path, { token })],
    ];
    for (const [status, asked] of cases) expect((await app.fetch(asked)).status).toBe(status);
    expect((await session.app.fetch(request('POST', path, { token, json: {} }))).status).toBe(404);
  });

  it('is asked for by the client', async () => {
    const { id } = session.created;
    const greeting = await clientOf('site').greet(id, 'grüß dich', { deadline });
    expect(greeting).toEqual({ site: `grüß dich ${id}`, token: deadline });
    await expect(clientOf('study').greet(id, 'hello', { deadline })).rejects.toMatchObject({
      code: 'not-allowed',
    });
    expect((await clientOf('study').view(id)).id).toBe(id);
  });

  it('is in the OpenAPI document that is served', async () => {
    const { paths } = JSON.parse(await clientOf('site').openapi()) as Document;
    expect(paths['/studies/{study}/greetings/{word}'].post).toMatchObject({
      operationId: 'greetSite',
      'x-roles': ['site'],
      parameters: [{ name: 'study' }, { name: 'word' }],
    });
    expect(Object.keys(paths).length).toBe(Object.keys(openapi().paths as object).length + 1);
  });
});
