import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { reportOf } from '../src/conclude.ts';
import { agreement, contribution } from '../src/federate.ts';
import { deviceName } from '../src/protocol/enrolment.ts';
import type { InvitationSecret, Offer } from '../src/protocol/messages.ts';
import { WORTH_COMPRESSING } from '../src/protocol/operation-client.ts';
import { createSigningKey } from '../src/protocol/signature.ts';
import { signContribution } from '../src/protocol/signed-contribution.ts';
import { encodeContribution } from '../src/statistic/envelope.ts';
import { wordsOf } from '../src/statistic/layout.ts';
import { ringAddInto } from '../src/statistic/ring.ts';
import { statistics } from '../src/statistic/statistic.ts';
import type { Study } from '../src/study/study.ts';
import { siteStatistics } from './load-study.ts';
import { openWire, type Wire } from './wire.ts';

/** Settings of the process that runs all sites. */
export interface LoadPlan {
  readonly study: Study;
  readonly id: string;
  /** Addresses of the coordinators; sites use them in turn. */
  readonly addresses: readonly string[];
  readonly invitations: readonly InvitationSecret[];
  /** In place of invitations: the secret of the open link, and how many devices hold it. */
  readonly open?: { readonly token: string; readonly devices: number };
  readonly atOnce: number;
  /** Whether each site opens a connection, or all come over a few that stay open, as from a proxy. */
  readonly connections: 'own' | 'kept';
  /** Whether a site makes an offer first, or has reduced its rows already and only contributes. */
  readonly offers: 'first' | 'none';
  /** Folder of the contributions until they are sent. */
  readonly file: string;
}

/** Results of the process that runs all sites. */
export interface LoadRun {
  readonly seconds: number;
  /** CPU time of this process meanwhile. */
  readonly cpuSeconds: number;
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
  readonly zipped: boolean;
}

/** Connections that stay open, by the address of the coordinator. */
type KeptWires = Map<string, Wire>;

const compress = promisify(gzip);
/** A site whose coordinator has ended tries the next one. */
const MOST_TRIES = 5;
const RETRY_MS = 100;

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
  const half = Math.ceil(sites.length / 2);
  let done = 0;
  const file = openSync(plan.file, 'r');
  const visit = async (
    { site, offer, digest, start, length, zipped }: Prepared,
    k: number,
    kept: KeptWires,
  ) => {
    const body = new Uint8Array(length);
    readSync(file, body, 0, length, start);
    const client = `X-Forwarded-For: 10.${k >> 16}.${(k >> 8) & 255}.${k & 255}\r\n`;
    const token = `${client}Authorization: Bearer ${site.token}\r\n`;
    const asJson = `${token}Content-Type: application/json\r\n`;
    const encoding = zipped ? 'Content-Encoding: gzip\r\n' : '';
    const asFile = `${token}Content-Type: application/octet-stream\r\n${encoding}`;
    const place = `/studies/${plan.id}`;
    const once = async (wire: Wire): Promise<void> => {
      if (plan.offers === 'first') {
        const json = Buffer.from(JSON.stringify(offer));
        offers.push((await wire.ask('PUT', `${place}/offer`, asJson, json)).milliseconds);
      }
      const path = plan.open === undefined ? 'contributions' : 'devices/contributions';
      const got = await wire.ask('POST', `${place}/${path}`, asFile, body);
      posts.push(got.milliseconds);
      if (got.status <= 202 && JSON.parse(got.text).digest === digest) {
        acknowledged[site.site] = digest;
        if (++done === half) process.send?.('half');
      } else failures.push(`${got.status} ${got.text.slice(0, 200)}`);
    };
    let lost: unknown;
    for (let tried = 0; tried < MOST_TRIES; tried++) {
      const address = plan.addresses[(k + tried) % plan.addresses.length]!;
      const wire = kept.get(address) ?? openWire(address);
      if (plan.connections === 'kept') kept.set(address, wire);
      try {
        return await once(wire);
      } catch (error) {
        lost = error;
        kept.delete(address);
        wire.end();
        await sleep(RETRY_MS);
      } finally {
        if (plan.connections === 'own') wire.end();
      }
    }
    failures.push(String(lost));
  };
  const started = performance.now();
  const cpu = process.cpuUsage();
  let next = 0;
  const worker = async () => {
    const kept: KeptWires = new Map();
    for (let k = next++; k < sites.length; k = next++) await visit(sites[k]!, k, kept);
    for (const wire of kept.values()) wire.end();
  };
  await Promise.all(Array.from({ length: plan.atOnce }, worker));
  const seconds = (performance.now() - started) / 1000;
  const endedAt = Date.now();
  const { user, system } = process.cpuUsage(cpu);
  const cpuSeconds = (user + system) / 1e6;
  closeSync(file);
  return { seconds, cpuSeconds, endedAt, offers, posts, acknowledged, failures, ...prepared };
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
  const count = plan.open?.devices ?? plan.invitations.length;
  for (let k = 0; k < count; k++) {
    const statistic = statisticOf(k);
    ringAddInto(total.values, statistic.values, wordsOf(layout));
    const key = createSigningKey();
    const site = plan.invitations[k] ?? {
      site: deviceName(agreed.digest, key.key),
      token: plan.open?.token ?? '',
    };
    const summary = { statistic, rows: 0, dropped: 0, missing: {} };
    const encoded = encodeContribution(
      signContribution(contribution(agreed, site.site, summary), key),
    );
    const zipped = encoded.length >= WORTH_COMPRESSING;
    const body = zipped ? await compress(encoded) : encoded;
    writeSync(file, body);
    const digest = `sha256:${createHash('sha256').update(encoded).digest('hex')}`;
    const columns = agreed.columns.map(({ name }) => ({
      name,
      found: 'number' as const,
      unknownTexts: 0,
      range: 'inside' as const,
    }));
    sites.push({
      site,
      offer: { key: key.key, columns },
      digest,
      start,
      length: body.length,
      zipped,
    });
    start += body.length;
    bytes += encoded.length;
  }
  closeSync(file);
  const made = agreed.method.resolve({ total, contributions: sites.length });
  if ('problem' in made) throw new Error(made.problem);
  const { digest } = reportOf(agreed, total, made, []);
  return { sites, bytes: bytes / count, sent: start / count, reportDigest: digest };
}
