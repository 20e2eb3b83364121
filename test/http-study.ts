import { newToken } from '../src/coordinator/access.ts';
import type { Coordinator } from '../src/coordinator/coordinator.ts';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import { type App, type AppOptions, createApp } from '../src/coordinator/http/app.ts';
import type { Store } from '../src/coordinator/store.ts';
import type { Offer, OfferAnswer, StudyCreated } from '../src/protocol/messages.ts';
import { createSigningKey, type SigningKey } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import {
  type ContributionNumbering,
  encodeContribution,
  firstNumbering,
} from '../src/statistic/envelope.ts';
import type { Study, TableStudy } from '../src/study/study.ts';
import { inMemoryBlock } from '../src/table/in-memory.ts';
import { agreement, contribution, reduction } from './linear.ts';

export const study: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'y ~ x',
  codebook: {
    y: { type: 'number', range: [-100, 100] },
    x: { type: 'number', range: [-10, 10] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  disclosure: { profile: 'none' },
};

/** The same for another question. */
export const otherStudy: TableStudy = { ...study, formula: 'y ~ x + I(x^2)' };

export const offerOf = (key: SigningKey): Offer => ({
  key: key.key,
  columns: ['y', 'x'].map((name) => ({
    name,
    found: 'number',
    unknownTexts: 0,
    range: 'inside',
  })),
});

/** A signed contribution of a few rows as a file; `seed` tells one from another. */
export function fileOf(
  site: string,
  key: SigningKey,
  { seed = 1, turn = firstNumbering, about = study }: FileOptions = {},
): Uint8Array {
  const agreed = agreement(about);
  const rows = reduction(agreed, { file: site, missing: 'drop' });
  const x = Array.from({ length: 8 }, (_, k) => ((k * 7 + seed * 3) % 19) - 9);
  const y = x.map((value, k) => 3 * value + 2 + ((k * seed) % 5));
  rows.add(inMemoryBlock(agreed.columns, { x, y }, site), (row) => row + 1);
  return encodeContribution(signContribution(contribution(agreed, site, rows.finish(), turn), key));
}

export interface FileOptions {
  readonly seed?: number;
  readonly turn?: ContributionNumbering;
  readonly about?: Study;
}

export interface Asking {
  readonly token?: string;
  readonly json?: unknown;
  readonly body?: Uint8Array | ReadableStream<Uint8Array> | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request as a client would make it. */
export function request(method: string, path: string, asking: Asking = {}): Request {
  const { token, json, body } = asking;
  const headers = new Headers(asking.headers);
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
  if (json !== undefined) headers.set('Content-Type', 'application/json');
  if (body instanceof Uint8Array && !headers.has('Content-Length')) {
    headers.set('Content-Length', String(body.length));
  }
  const content = json === undefined ? body : JSON.stringify(json);
  const init = { method, headers, ...(content === undefined ? {} : { body: content }) };
  return new Request(`http://localhost${path}`, { ...init, duplex: 'half' } as RequestInit);
}

/** The JSON of a response, taken at its word. */
export async function jsonOf<T>(response: Response | Promise<Response>): Promise<T> {
  return (await (await response).json()) as T;
}

/** A coordinator behind its app, with one open study and keys for its sites. */
export interface Session {
  readonly app: App;
  readonly coordinator: Coordinator;
  readonly store: Store;
  readonly operator: string;
  readonly created: StudyCreated;
  /** The study's path. */
  readonly path: string;
  readonly admin: string;
  readonly tokens: Readonly<Record<string, string>>;
  readonly keys: Readonly<Record<string, SigningKey>>;
  ask(method: string, path: string, asking?: Asking): Promise<Response>;
  /** Sends a file as the site would. */
  send(
    site: string,
    file: Uint8Array,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
}

export async function openSession(
  store: Store,
  sites: readonly string[] = ['north', 'south'],
  options: AppOptions = {},
): Promise<Session> {
  const operator = newToken('operator');
  const coordinator = await createCoordinator({ store, operatorToken: operator });
  const app = createApp(coordinator, { rateLimits: 'off', ...options });
  const ask = (method: string, path: string, asking?: Asking) =>
    app.fetch(request(method, path, asking));
  const answer = await ask('POST', '/studies', { token: operator, json: { study, sites } });
  const created = await jsonOf<StudyCreated>(answer);
  const tokens = Object.fromEntries(created.invitations.map(({ site, token }) => [site, token]));
  const path = `/studies/${created.id}`;
  return {
    app,
    coordinator,
    store,
    operator,
    created,
    path,
    admin: created.adminToken,
    tokens,
    keys: Object.fromEntries(sites.map((site) => [site, createSigningKey()])),
    ask,
    send: (site, file, headers = {}) =>
      ask('POST', `${path}/contributions`, {
        token: tokens[site],
        body: file,
        headers: { 'Content-Type': 'application/octet-stream', ...headers },
      }),
  };
}

/** The handshake of sites, so that they may contribute. */
export async function shakeHands(session: Session, ...sites: readonly string[]): Promise<void> {
  for (const site of sites) {
    const json = offerOf(session.keys[site]);
    const answer = await session.ask('PUT', `${session.path}/offer`, {
      token: session.tokens[site],
      json,
    });
    const { accepted } = await jsonOf<OfferAnswer>(answer);
    if (accepted !== true) throw new Error(`the offer of ${site} was not accepted`);
  }
}

const tables = [
  'settings',
  'access',
  'studies',
  'sites',
  'enrolments',
  'contributions',
  'resolutions',
  'audit',
] as const;

/** Everything a store holds, as text that can be compared. */
export async function dump({ db }: Store): Promise<string> {
  const parts: string[] = [];
  for (const table of tables) {
    const rows = await db.selectFrom(table).selectAll().execute();
    parts.push(table, ...rows.map((row) => JSON.stringify(row)).sort());
  }
  return parts.join('\n');
}
