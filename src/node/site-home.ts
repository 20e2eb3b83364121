import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { PastRelease } from '../disclosure/history.ts';
import type { RowTags } from '../disclosure/row-tags.ts';
import { studyId } from '../protocol/link.ts';
import type { SealedReceipt } from '../protocol/messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { createSigningKey, type SigningKey, signingKey } from '../protocol/signature.ts';
import { digestBytes } from '../study/digest.ts';
import { DataError } from '../table/data-error.ts';
import type { LedgerLine, Release } from './ledger-chain.ts';
import { pastReleases, type Waiting } from './past-releases.ts';
import { publish, readIfThere, removeOldDrafts, writeSafely } from './safe-file.ts';
import {
  FILE_MODE,
  FOLDER_MODE,
  type LedgerDoubt,
  openSiteLedger,
  refusalOf,
} from './site-ledger.ts';

export type { LedgerLine, Release } from './ledger-chain.ts';

/** A file as it was when it was read. */
export interface Source {
  readonly path: string;
  readonly bytes: number;
  readonly modified: number;
}

/** An approved contribution that waits for its receipt. */
export interface Pending {
  readonly release: Release;
  readonly source: Source;
  readonly approvedAt: string;
  readonly file: Uint8Array;
  /** Of the rows it was made of, over `release.columns`. */
  readonly tags?: RowTags;
}

/** A site's own folder: its key, what it released, what it is releasing, and its receipts. */
export interface SiteHome {
  readonly folder: string;
  /** The key the site signs with; made at first use and never again. */
  key(): Promise<SigningKey>;
  /** Adds a line to the ledger unless the same release is in it, and returns once it is on disk. */
  record(line: LedgerLine, tags?: RowTags, reviewed?: readonly string[]): Promise<void>;
  ledger(): Promise<readonly LedgerLine[]>;
  /** What has left, in its order, and what was approved and may have left: each file once. */
  past(): Promise<readonly PastRelease[]>;
  /** What was approved and has no receipt yet, oldest first. */
  waiting(): Promise<readonly Waiting[]>;
  /** What is wrong with the ledger; undefined where nothing is. */
  verify(): Promise<LedgerDoubt | undefined>;
  /** The 128 bits, as four words, that rows are tagged under. */
  tagKey(): Promise<Uint32Array>;
  pending(study: string, site: string): Promise<Pending | undefined>;
  /** Refuses where more has left, or waits, than what was reviewed. */
  hold(pending: Pending, reviewed?: readonly string[]): Promise<void>;
  /** Forgets what was waiting. */
  discard(study: string, site: string): Promise<void>;
  /** Keeps a receipt as JSON and as text; gives the path of the JSON. */
  keepReceipt(receipt: SealedReceipt, text: string): Promise<string>;
}

/** Refuses to go on with a ledger that is not as the site left it. */
export async function refuseDoubtfulLedger(home: SiteHome): Promise<void> {
  const doubt = await home.verify();
  if (doubt !== undefined) throw refusalOf(doubt);
}

/** The folder of this machine's site: as given, by SUFFICE_HOME, or ~/.suffice. */
export function siteFolder(given: string | undefined): string {
  return resolve(given ?? (process.env.SUFFICE_HOME || join(homedir(), '.suffice')));
}

export async function openSiteHome(folder: string): Promise<SiteHome> {
  const outbox = join(folder, 'outbox');
  const receipts = join(folder, 'receipts');
  for (const path of [folder, outbox, receipts]) {
    await mkdir(path, { recursive: true, mode: FOLDER_MODE });
    await removeOldDrafts(path);
  }
  const ledger = openSiteLedger(folder);
  const pendingPath = (study: string, site: string) =>
    join(outbox, `${studyId(study)}-${fileName(site)}.json`);

  return {
    folder,
    key: () => readOrMakeKey(join(folder, 'key.json')),
    ledger: ledger.lines,
    record: (line, tags, reviewed) =>
      ledger.record(line, tags, async (lines) =>
        refuseUnreviewed(lines, await heldIn(outbox), reviewed),
      ),
    tagKey: ledger.tagKey,
    verify: () =>
      ledger.verify(async () => ({
        received: await receivedIn(receipts),
        waiting: (await heldIn(outbox)).map(({ release, tags }) => ({
          digest: release.digest,
          ...(tags === undefined ? {} : { tags }),
        })),
      })),
    waiting: () => heldIn(outbox),
    // The outbox first: what is recorded meanwhile is then in the ledger.
    async past() {
      const waiting = await heldIn(outbox);
      return pastReleases(await ledger.lines(), waiting, ledger.tags);
    },
    async pending(study, site) {
      const held = await heldAt(pendingPath(study, site));
      if (held === undefined) return undefined;
      const { release, source, approvedAt } = held;
      const file = new Uint8Array(Buffer.from(held.file, 'base64'));
      if (digestBytes(file) !== release.digest) return undefined;
      const tags = held.tags === undefined ? undefined : await ledger.tags(held.tags);
      return { release, source, approvedAt, file, ...(tags === undefined ? {} : { tags }) };
    },
    hold: ({ file, tags, ...rest }, reviewed) =>
      ledger.locked(async () => {
        refuseUnreviewed(await ledger.lines(), await heldIn(outbox), reviewed);
        const held: HeldPending = {
          schema: PENDING_SCHEMA,
          ...rest,
          file: Buffer.from(file).toString('base64'),
          ...(tags === undefined ? {} : { tags: await ledger.keepTags(tags) }),
        };
        const { study, site } = rest.release;
        await writeSafely(pendingPath(study, site), JSON.stringify(held), FILE_MODE);
      }),
    discard: (study, site) =>
      ledger.locked(async () => {
        await rm(pendingPath(study, site), { force: true });
        await ledger.dropTags((await heldIn(outbox)).flatMap(({ tags }) => tags ?? []));
      }),
    async keepReceipt(receipt, text) {
      const name = `${studyId(receipt.study)}-${fileName(receipt.site)}-${receipt.sequence}`;
      const path = join(receipts, `${name}.json`);
      await writeSafely(join(receipts, `${name}.txt`), text, FILE_MODE);
      await writeSafely(path, `${JSON.stringify(receipt, null, 2)}\n`, FILE_MODE);
      return path;
    },
  };
}

/** Two releases that are prepared at the same time have not been compared with each other. */
function refuseUnreviewed(
  lines: readonly LedgerLine[],
  waiting: readonly HeldPending[],
  reviewed: readonly string[] | undefined,
): void {
  if (reviewed === undefined) return;
  const known = new Set(reviewed);
  const digests = [...lines, ...waiting.map(({ release }) => release)].map(({ digest }) => digest);
  if (digests.every((digest) => known.has(digest))) return;
  throw new Refusal(
    'conflict',
    'another release of this site was made meanwhile; nothing was sent',
    'run the command again: it compares with that one too',
  );
}

const PENDING_SCHEMA = 'suffice/pending@1';
const KEY_SCHEMA = 'suffice/signing-key@1';

interface HeldPending extends Omit<Pending, 'file' | 'tags'> {
  readonly schema: typeof PENDING_SCHEMA;
  /** Base64. */
  readonly file: string;
  /** Digest of the file that keeps the tags. */
  readonly tags?: string;
}

async function heldAt(path: string): Promise<HeldPending | undefined> {
  const held = parsed<HeldPending>((await readIfThere(path)) ?? '');
  return held?.schema === PENDING_SCHEMA ? held : undefined;
}

/** All that waits, oldest first. */
async function heldIn(outbox: string): Promise<readonly HeldPending[]> {
  const names = (await readdir(outbox)).filter((name) => name.endsWith('.json'));
  const held = await Promise.all(names.map((name) => heldAt(join(outbox, name))));
  return held
    .filter((one) => one !== undefined)
    .sort((a, b) => a.approvedAt.localeCompare(b.approvedAt));
}

/** The contributions that a coordinator has acknowledged. */
async function receivedIn(receipts: string): Promise<{ digest: string; file: string }[]> {
  const received: { digest: string; file: string }[] = [];
  for (const name of (await readdir(receipts)).filter((name) => name.endsWith('.json'))) {
    const receipt = parsed<SealedReceipt>((await readIfThere(join(receipts, name))) ?? '');
    if (receipt?.schema !== 'suffice/receipt@1') continue;
    received.push({ digest: receipt.digest, file: `receipts/${name}` });
  }
  return received;
}

/** However many processes ask at once for the first time, one key comes of it. */
async function readOrMakeKey(path: string): Promise<SigningKey> {
  if ((await readIfThere(path)) === undefined) {
    const { secret, key } = createSigningKey();
    const text = `${JSON.stringify({ schema: KEY_SCHEMA, secret, key }, null, 2)}\n`;
    await publish(path, text, FILE_MODE);
  }
  const held = parsed<{ schema: string; secret: string }>(await readFile(path, 'utf8'));
  try {
    if (held?.schema === KEY_SCHEMA) return signingKey(held.secret);
  } catch {
    // told below
  }
  throw new DataError(
    'the signing key of this site cannot be read',
    { file: path },
    'restore it from a backup; or remove it and ask for an invitation that forgets the old key',
  );
}

function parsed<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}

/** A site's name as part of a file's name, on any file system. */
function fileName(site: string): string {
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/.test(site)) return site;
  const plain = site.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 40);
  const digest = digestBytes(new TextEncoder().encode(site)).slice('sha256:'.length);
  return `${plain}-${digest.slice(0, 8)}`;
}
