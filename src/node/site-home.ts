import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { studyId } from '../protocol/link.ts';
import type { SealedReceipt } from '../protocol/messages.ts';
import { createSigningKey, type SigningKey, signingKey } from '../protocol/signature.ts';
import type { ContributionTurn } from '../statistic/envelope.ts';
import { digestBytes } from '../study/digest.ts';
import { DataError } from '../table/data-error.ts';
import { publish, readIfThere, removeOldDrafts, writeSafely } from './safe-file.ts';

/** What a release was: a line of the ledger. */
export interface Release extends ContributionTurn {
  /** Digest of the study. */
  readonly study: string;
  readonly site: string;
  readonly rows: number;
  readonly numbers: number;
  readonly bytes: number;
  /** Digest of the contribution's file. */
  readonly digest: string;
}

export interface LedgerLine extends Release {
  readonly at: string;
  /** Where the file went: to a coordinator, or into a file. */
  readonly to: string;
}

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
}

/** A site's own folder: its key, what it released, what it is releasing, and its receipts. */
export interface SiteHome {
  readonly folder: string;
  /** The key the site signs with; made at first use and never again. */
  key(): Promise<SigningKey>;
  /** Adds a line to the ledger unless the same release is in it, and returns once it is on disk. */
  record(line: LedgerLine): Promise<void>;
  ledger(): Promise<readonly LedgerLine[]>;
  pending(study: string, site: string): Promise<Pending | undefined>;
  hold(pending: Pending): Promise<void>;
  /** Forgets what was waiting. */
  discard(study: string, site: string): Promise<void>;
  /** Keeps a receipt as JSON and as text; gives the path of the JSON. */
  keepReceipt(receipt: SealedReceipt, text: string): Promise<string>;
}

/** The folder of this machine's site: as given, by SUFFICE_HOME, or ~/.suffice. */
export function siteFolder(given: string | undefined): string {
  return resolve(given ?? (process.env.SUFFICE_HOME || join(homedir(), '.suffice')));
}

/** Only the owner may enter the folder or read the files. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

export async function openSiteHome(folder: string): Promise<SiteHome> {
  const outbox = join(folder, 'outbox');
  const receipts = join(folder, 'receipts');
  const ledgerPath = join(folder, 'ledger.jsonl');
  for (const path of [folder, outbox, receipts]) {
    await mkdir(path, { recursive: true, mode: FOLDER_MODE });
    await removeOldDrafts(path);
  }
  const pendingPath = (study: string, site: string) =>
    join(outbox, `${studyId(study)}-${fileName(site)}.json`);

  const ledger = async (): Promise<LedgerLine[]> => {
    const text = (await readIfThere(ledgerPath)) ?? '';
    // A line that a power cut left half-written tells of nothing that was acknowledged.
    return text.split('\n').flatMap((line) => parsed<LedgerLine>(line) ?? []);
  };

  return {
    folder,
    key: () => readOrMakeKey(join(folder, 'key.json')),
    ledger,
    async record(line) {
      const known = (await ledger()).some(
        (other) => other.digest === line.digest && other.to === line.to && other.site === line.site,
      );
      if (known) return;
      const handle = await open(ledgerPath, 'a+', FILE_MODE);
      try {
        const { size } = await handle.stat();
        const last = Buffer.alloc(1);
        if (size > 0) await handle.read(last, 0, 1, size - 1);
        const start = size > 0 && last.toString() !== '\n' ? '\n' : '';
        await handle.write(`${start}${JSON.stringify(line)}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
    },
    async pending(study, site) {
      const path = pendingPath(study, site);
      const text = await readIfThere(path);
      const held = text === undefined ? undefined : parsed<HeldPending>(text);
      if (held?.schema !== PENDING_SCHEMA) return undefined;
      const { release, source, approvedAt } = held;
      const file = new Uint8Array(Buffer.from(held.file, 'base64'));
      return digestBytes(file) === release.digest
        ? { release, source, approvedAt, file }
        : undefined;
    },
    async hold({ file, ...rest }) {
      const held: HeldPending = {
        schema: PENDING_SCHEMA,
        ...rest,
        file: Buffer.from(file).toString('base64'),
      };
      const { study, site } = rest.release;
      await writeSafely(pendingPath(study, site), JSON.stringify(held), FILE_MODE);
    },
    async discard(study, site) {
      await rm(pendingPath(study, site), { force: true });
    },
    async keepReceipt(receipt, text) {
      const name = `${studyId(receipt.study)}-${fileName(receipt.site)}-${receipt.sequence}`;
      const path = join(receipts, `${name}.json`);
      await writeSafely(join(receipts, `${name}.txt`), text, FILE_MODE);
      await writeSafely(path, `${JSON.stringify(receipt, null, 2)}\n`, FILE_MODE);
      return path;
    },
  };
}

const PENDING_SCHEMA = 'suffice/pending@1';
const KEY_SCHEMA = 'suffice/signing-key@1';

interface HeldPending extends Omit<Pending, 'file'> {
  readonly schema: typeof PENDING_SCHEMA;
  /** Base64. */
  readonly file: string;
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
