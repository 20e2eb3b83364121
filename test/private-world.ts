import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { createCoordinator } from '../src/coordinator/create-coordinator.ts';
import { createApp, type RequestRecord } from '../src/coordinator/http/app.ts';
import { useNativeCrypto } from '../src/node/compute/native-crypto.ts';
import { openSqliteStore } from '../src/node/store/sqlite-store.ts';
import { linkText } from '../src/protocol/link.ts';
import type { SealedAuditLog, StudyCreated } from '../src/protocol/messages.ts';
import { seededWords } from '../src/random/seeded-words.ts';
import type { Study } from '../src/study/study.ts';
import { runSuffice, temporaryFolder } from './cli.ts';

const root = temporaryFolder();
useNativeCrypto(); // as every site does: not only from the first of them on
const COORDINATOR = 'http://127.0.0.1:7700';
const OPERATOR = `sfo_${'o'.repeat(43)}`;

/** All that others can see of a study in which site A joined with a file, by who sees it. */
export interface World {
  /** The exit code of site A, and what it was shown. */
  readonly own: { readonly code: number | null; readonly stdout: string; readonly stderr: string };
  /** Each request on the network: its size, its answer's status and size. */
  readonly network: readonly string[];
  readonly outsider: readonly string[];
  readonly analyst: readonly string[];
  readonly otherSite: readonly string[];
  /** Metrics and the log of requests, without times. */
  readonly operator: readonly string[];
}

/**
 * Runs a whole study by the command line, in this process, with the same random numbers and clock in every world: site B
 * contributes, then site A with the given file, then the study closes.
 */
export async function privateWorld(
  study: Study,
  ownFile: string | Uint8Array,
  otherFile: string,
): Promise<World> {
  const folder = mkdtempSync(join(root, 'world-'));
  const words = seededWords(7);
  const random = vi.spyOn(globalThis.crypto, 'getRandomValues').mockImplementation((array) => {
    const bytes = array as Uint8Array;
    for (let k = 0; k < bytes.length; k++) bytes[k] = words() >>> 24;
    return array;
  });
  vi.useFakeTimers({ now: new Date('2026-05-01T08:00:00Z'), toFake: ['Date'] });
  const store = await openSqliteStore(join(folder, 'suffice.db'));
  const log: RequestRecord[] = [];
  const network: string[] = [];
  const coordinator = await createCoordinator({ store, operatorToken: OPERATOR });
  const app = createApp(coordinator, { rateLimits: 'off', observe: (one) => log.push(one) });
  const ask = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const body = new Uint8Array(await request.clone().arrayBuffer());
    const up = body.length + sizeOf(request.headers);
    let counted: (traffic: { up: number; down: number }) => void = () => {};
    const traffic = new Promise<{ up: number; down: number }>((resolve) => {
      counted = resolve;
    });
    const response = await app.fetch(request, { address: '10.0.0.1', secure: true, traffic });
    if (response.headers.get('content-type') === 'text/event-stream') return response;
    const answer = new Uint8Array(await response.arrayBuffer());
    const down = answer.length + sizeOf(response.headers);
    counted({ up, down });
    await traffic;
    const encoding = request.headers.get('content-encoding') ?? 'as it is';
    const { pathname } = new URL(request.url);
    network.push(`${request.method} ${pathname} ${up} ${encoding} ${response.status} ${down}`);
    const { status, headers } = response;
    return new Response([204, 304].includes(status) ? null : answer, { status, headers });
  };
  vi.stubGlobal('fetch', ask);
  const get = async (path: string, token?: string, json?: unknown): Promise<Response> =>
    ask(`${COORDINATOR}${path}`, {
      method: json === undefined ? 'GET' : 'POST',
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
  // One after the other: answers to requests at once come in any order.
  const seen = async (
    paths: readonly (readonly [path: string, json?: unknown])[],
    token?: string,
  ) => {
    const answers: string[] = [];
    for (const [path, json] of paths) {
      const answer = await get(path, token, json);
      answers.push(`${path} ${answer.status} ${masked(await answer.text())}`);
    }
    return answers;
  };
  try {
    const posted = await get('/studies', OPERATOR, { study, sites: ['A', 'B'] });
    const created = (await posted.json()) as StudyCreated;
    const { id, adminToken, coordinatorKey, invitations } = created;
    const tokenOf = (site: string) => invitations.find((one) => one.site === site)!.token;
    const linkFile = (name: string, purpose: 'join' | 'study', token: string) => {
      const path = join(folder, `${name}.link`);
      const link = { coordinator: COORDINATOR, purpose, study: id, token, coordinatorKey } as const;
      writeFileSync(path, `${linkText(link)}\n`, { mode: 0o600 });
      return path;
    };
    const joining = async (site: string, content: string | Uint8Array) => {
      const path = join(folder, `${site}.csv`);
      writeFileSync(path, content);
      const invitation = linkFile(site, 'join', tokenOf(site));
      const home = join(folder, `home-${site}`);
      return runSuffice(['join', invitation, path, '--yes', '--threads', '1', '--home', home]);
    };
    await joining('B', otherFile);
    const own = await joining('A', ownFile);
    await get(`/studies/${id}/close`, adminToken, {});
    await coordinator.runDueWork();
    const at = (rest: string) => `/studies/${id}${rest}`;
    const shared = [
      [at('')],
      [at('/audit-log')],
      [at('/resolutions')],
      [at('/resolutions/1')],
    ] as const;
    const admin = linkFile('admin', 'study', adminToken);
    const printed = async (...args: readonly string[]) => {
      const { code, stdout, stderr } = await runSuffice(args);
      return `${args[0]} ${code} ${masked(stdout)} ${masked(stderr)}`;
    };
    const analyst = [
      ...(await seen(
        [
          ...shared,
          [at('/resolutions/1/total')],
          [at('/analyses'), { questions: [{ about: 'heterogeneity' }] }],
        ],
        adminToken,
      )),
      await printed('status', admin, '--json'),
      await printed('status', admin),
      await printed('report', admin),
    ];
    const otherSite = await seen([...shared, [at('/contributions')]], tokenOf('B'));
    const { entries } = (await (
      await get(at('/audit-log'), tokenOf('B'))
    ).json()) as SealedAuditLog;
    const events = await eventsOf(await get(at('/events'), tokenOf('B')), entries.length);
    const outsider = await seen([['/healthz'], ['/metrics'], ['/openapi.json'], ['/'], [at('')]]);
    const sent = [...network]; // metrics are as long as their times
    const metrics = await (await get('/metrics', OPERATOR)).text();
    return {
      own,
      network: sent,
      outsider,
      analyst,
      otherSite: [...otherSite, masked(events)],
      operator: [
        ...metrics.split('\n').filter((line) => !line.includes('duration')),
        ...log.slice(0, -1).map(({ milliseconds: _, ...rest }) => JSON.stringify(rest)),
      ],
    };
  } finally {
    random.mockRestore();
    vi.useRealTimers();
    vi.unstubAllGlobals();
    await store.close();
  }
}

/** The first events of a stream, as text. */
async function eventsOf(response: Response, count: number): Promise<string> {
  const reader = response.body!.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (text.split('\nevent: ').length <= count - 1 || !text.endsWith('\n\n')) {
    const { value, done } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return text;
}

function sizeOf(headers: Headers): number {
  return [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0);
}

/** Digests and signatures cover the exact sums and so differ; each becomes a mark of the same length. */
function masked(text: string): string {
  const mark = (found: string) => '#'.repeat(found.length);
  return text
    .replaceAll(/\b[0-9a-f]{64}\b/g, mark)
    .replaceAll(/(?<="signature":\s?")[\w-]{86}(?=")/g, mark);
}
