import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { reportOf } from '../src/conclude.ts';
import { agreement, contribution } from '../src/federate.ts';
import type { InvitationSecret, Offer } from '../src/protocol/messages.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import { wordsOf } from '../src/statistic/layout.ts';
import { ringAddInto } from '../src/statistic/ring.ts';
import { statistics } from '../src/statistic/statistic.ts';
import type { Study } from '../src/study/study.ts';
import { siteStatistics } from './load-study.ts';

/** Settings of the process that runs all sites. */
export interface LoadPlan {
  readonly study: Study;
  readonly id: string;
  /** Addresses of the coordinators; sites use them in turn. */
  readonly addresses: readonly string[];
  readonly invitations: readonly InvitationSecret[];
  readonly atOnce: number;
  /** Folder of the contributions until they are sent. */
  readonly file: string;
}

/** Results of the process that runs all sites. */
export interface LoadRun {
  readonly seconds: number;
  /** Time of the last acknowledgement, in milliseconds of the clock. */
  readonly endedAt: number;
  readonly offers: readonly number[];
  readonly posts: readonly number[];
  /** Digests of the files that were acknowledged, by site. */
  readonly acknowledged: Readonly<Record<string, string>>;
  readonly failures: readonly string[];
  /** Bytes of a contribution, and of its body on the wire, on average. */
  readonly bytes: number;
  readonly sent: number;
  /** Digest of the report from all contributions, added in this process. */
  readonly reportDigest: string;
}

interface Prepared {
  readonly site: InvitationSecret;
  readonly offer: Offer;
  readonly digest: string;
  readonly start: number;
  readonly length: number;
}

const compress = promisify(gzip);

process.once('message', (plan: LoadPlan) => {
  run(plan).then(
    (result) => process.send?.(result, () => process.disconnect()),
    (failure) => {
      console.error(failure);
      process.exit(1);
    },
  );
});

async function run(plan: LoadPlan): Promise<LoadRun> {
  const { sites, ...prepared } = await prepare(plan);
  const offers: number[] = [];
  const posts: number[] = [];
  const acknowledged: Record<string, string> = {};
  const failures: string[] = [];
  const file = openSync(plan.file, 'r');
  const visit = async ({ site, offer, digest, start, length }: Prepared, k: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const place = `${plan.addresses[k % plan.addresses.length]}/studies/${plan.id}`;
    const body = new Uint8Array(length);
    readSync(file, body, 0, length, start);
    const json = { 'Content-Type': 'application/json' };
    const gzipped = { 'Content-Type': 'application/octet-stream', 'Content-Encoding': 'gzip' };
    const ask = (method: string, path: string, headers: object, bytes: Uint8Array) =>
      send(`${place}${path}`, method, site.token, headers, bytes, agent);
    try {
      const said = await ask('PUT', '/offer', json, Buffer.from(JSON.stringify(offer)));
      offers.push(said.milliseconds);
      const got = await ask('POST', '/contributions', gzipped, body);
      posts.push(got.milliseconds);
      if (got.status === 201 && JSON.parse(got.text).digest === digest) {
        acknowledged[site.site] = digest;
      } else failures.push(`${got.status} ${got.text.slice(0, 200)}`);
    } catch (failure) {
      failures.push(String(failure));
    } finally {
      agent.destroy();
    }
  };
  const started = performance.now();
  let next = 0;
  const worker = async () => {
    for (let k = next++; k < sites.length; k = next++) await visit(sites[k]!, k);
  };
  await Promise.all(Array.from({ length: plan.atOnce }, worker));
  const seconds = (performance.now() - started) / 1000;
  const endedAt = Date.now();
  closeSync(file);
  return { seconds, endedAt, offers, posts, acknowledged, failures, ...prepared };
}

/** Prepares the contributions of all sites, signed and compressed as a site does it, and their total. */
async function prepare(
  plan: LoadPlan,
): Promise<
  Pick<LoadRun, 'bytes' | 'sent' | 'reportDigest'> & { readonly sites: readonly Prepared[] }
> {
  const agreed = agreement(plan.study);
  const { layout } = agreed;
  const statisticOf = siteStatistics(agreed);
  const total = statistics(layout).zero;
  const sites: Prepared[] = [];
  let bytes = 0;
  let start = 0;
  const file = openSync(plan.file, 'w', 0o600);
  for (const [k, site] of plan.invitations.entries()) {
    const statistic = statisticOf(k);
    ringAddInto(total.values, statistic.values, wordsOf(layout));
    const key = createSigningKey();
    const summary = { statistic, rows: 0, dropped: 0, missing: {} };
    const encoded = encodeContribution(
      signContribution(contribution(agreed, site.site, summary), key),
    );
    const body = await compress(encoded);
    writeSync(file, body);
    const digest = `sha256:${createHash('sha256').update(encoded).digest('hex')}`;
    const columns = agreed.columns.map(({ name }) => ({
      name,
      found: 'number' as const,
      unknownTexts: 0,
      range: 'inside' as const,
    }));
    sites.push({ site, offer: { key: key.key, columns }, digest, start, length: body.length });
    start += body.length;
    bytes += encoded.length;
  }
  closeSync(file);
  const made = agreed.method.resolve({ total, contributions: sites.length });
  if ('problem' in made) throw new Error(made.problem);
  const { digest } = reportOf(agreed, total, made, []);
  const count = sites.length;
  return { sites, bytes: bytes / count, sent: start / count, reportDigest: digest };
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly milliseconds: number;
}

function send(
  url: string,
  method: string,
  token: string,
  headers: object,
  body: Uint8Array,
  agent: Agent,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const outgoing = request(
      url,
      {
        method,
        agent,
        headers: { Authorization: `Bearer ${token}`, 'Content-Length': body.length, ...headers },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            text,
            milliseconds: performance.now() - started,
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
