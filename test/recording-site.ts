import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { SealedReceipt } from '../src/protocol/messages.ts';
import type { Release } from '../src/site/ledger-chain.ts';
import { digestBytes } from '../src/study/digest.ts';

/** A process that goes through releases of its own, one after another, in a site's folder. */
export interface RecordingSite {
  readonly child: ChildProcess;
  /** Digests of the releases it has seen to their end. */
  readonly done: readonly string[];
  /** Once it has seen to the first, or has ended. */
  readonly begun: Promise<void>;
  readonly ended: Promise<number | null>;
}

/** What a release of this name looks like. */
export function releaseOf(name: string, file: Uint8Array, rows: number): Release {
  const numbering = { sequence: 1, mode: 'add' } as const;
  const size = { rows, numbers: 6, bytes: file.length };
  const columns = [{ name: 'age', column: { type: 'number' } }] as const;
  const study = digestBytes(Buffer.from(`study of ${name}`));
  return { study, site: name, ...numbering, ...size, digest: digestBytes(file), columns };
}

export function receiptOf({ study, site, digest, bytes, ...numbering }: Release): SealedReceipt {
  return {
    schema: 'suffice/receipt@1',
    ...{ study, site, digest, bytes, sequence: numbering.sequence, mode: numbering.mode },
    receivedAt: '2030-01-01T00:00:00.000Z',
    late: false,
    audit: { position: 1, digest: 'sha256:0' },
    seal: { key: '', signature: '' },
  };
}

/** Queues, records, keeps the receipt and discards, as a site that joins does; then prints the digest. */
const script = `
const [, home, dist, name, count] = process.argv;
const { openSiteFolder } = await import(dist + '/node/site/site-folder.js');
const { digestBytes } = await import(dist + '/study/digest.js');
const { writeSync } = await import('node:fs');
const site = await openSiteFolder(home);
for (let k = 0; k < Number(count); k++) {
  const own = name + '-' + k;
  const file = new TextEncoder().encode('contribution of ' + own);
  const study = digestBytes(new TextEncoder().encode('study of ' + own));
  const numbering = { sequence: 1, mode: 'add' };
  const columns = [{ name: 'age', column: { type: 'number' } }];
  const size = { rows: 50, numbers: 6, bytes: file.length };
  const release = { study, site: own, ...numbering, ...size, digest: digestBytes(file), columns };
  const tags = new BigUint64Array(50).map((_, r) => BigInt(k * 10 + r));
  const at = new Date().toISOString();
  const source = { path: '/rows.csv', bytes: 1, modified: 1 };
  await site.queue({ release, source, approvedAt: at, file, tags });
  await site.record({ at, to: 'https://coordinator.example', outcome: 'acknowledged', ...release }, tags);
  const seal = { key: '', signature: '' };
  const audit = { position: 1, digest: 'sha256:0' };
  const { digest, bytes } = release;
  const body = { study, site: own, digest, bytes, ...numbering, receivedAt: at, late: false, audit, seal };
  await site.keepReceipt({ schema: 'suffice/receipt@1', ...body }, 'receipt');
  await site.discard(study, own);
  writeSync(1, digest + '\\n');
}`;

/** Starts the built code in a process of its own; `npm test` builds it first. */
export function startRecording(home: string, name: string, count: number): RecordingSite {
  const dist = new URL('../dist', import.meta.url).pathname;
  const args = ['--input-type=module', '-e', script, home, dist, name, String(count)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const done: string[] = [];
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const begun = new Promise<void>((resolve) => {
    let text = '';
    child.stdout?.on('data', (bytes) => {
      text += bytes;
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      done.push(...lines);
      resolve();
    });
    ended.then(() => resolve());
  });
  return { child, done, begun, ended };
}
