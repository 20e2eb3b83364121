import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { DataError } from '../../data-error.ts';
import { defined } from '../../defined.ts';
import type { SealedReceipt } from '../../protocol/messages.ts';
import { createSigningKey, type SigningKey, signingKey } from '../../protocol/signature.ts';
import { studyId } from '../../protocol/study-part.ts';
import { pastReleases } from '../../site/past-releases.ts';
import {
  type Pending,
  readOtherTags,
  refuseUnreviewed,
  type SiteStore,
  type TagDigests,
  tagDigests,
} from '../../site/site-store.ts';
import { digestBytes } from '../../study/digest.ts';
import { useNativeCrypto } from '../compute/native-crypto.ts';
import type { WaitNotice } from '../files/folder-lock.ts';
import { publishFile, readIfThere, removeOldDrafts, writeSafely } from '../files/safe-file.ts';
import { FILE_MODE, FOLDER_MODE, openSiteLedger } from './site-ledger.ts';
import { readSiteRules } from './site-rules-file.ts';

/** A site's own folder. */
export interface SiteFolder extends SiteStore {
  readonly folder: string;
}

interface SiteFolderPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folder of a relative path; the process's own unless given. */
  readonly cwd?: string;
}

/** The folder of this machine's site: as given, by SUFFICE_HOME, or ~/.suffice. */
export function siteFolder(
  given: string | undefined,
  { env, cwd = '' }: SiteFolderPlace = { env: process.env },
): string {
  return resolve(cwd, given ?? (env.SUFFICE_HOME || join(homedir(), '.suffice')));
}

/** Opens, or makes, the folder in which a site keeps its key, ledger and receipts; `notice` shows why it waits. */
export async function openSiteFolder(folder: string, notice?: WaitNotice): Promise<SiteFolder> {
  useNativeCrypto();
  const outbox = join(folder, 'outbox');
  const receipts = join(folder, 'receipts');
  for (const path of [folder, outbox, receipts]) {
    await mkdir(path, { recursive: true, mode: FOLDER_MODE });
    await removeOldDrafts(path);
  }
  const ledger = openSiteLedger(folder, notice);
  const nameOf = (study: string, site: string) => `${studyId(study)}-${fileName(site)}`;
  const pendingPath = (study: string, site: string) => join(outbox, `${nameOf(study, site)}.json`);
  const trainingPath = (study: string, site: string) =>
    join(folder, `training-${nameOf(study, site)}.json`);

  const masksPath = (study: string, site: string) =>
    join(folder, `masks-${nameOf(study, site)}.json`);

  return {
    folder,
    key: () => readOrMakeKey(join(folder, 'key.json')),
    ledger: ledger.lines,
    record: (line, tags, reviewed, others) =>
      ledger.record(
        line,
        tags,
        async (lines) => refuseUnreviewed(lines, await waitingIn(outbox), reviewed),
        others,
      ),
    tagKey: ledger.tagKey,
    rules: () => readSiteRules(join(folder, 'rules.json')),
    verify: () =>
      ledger.verify(async () => ({
        received: (await receivedIn(receipts)).map(({ file, receipt: { digest } }) => ({
          digest,
          file,
        })),
        waiting: (await waitingIn(outbox)).map(({ release, tags, people, over }) => ({
          digest: release.digest,
          ...defined({ tags, people, over }),
        })),
      })),
    waiting: () => waitingIn(outbox),
    // The outbox is read first: a release that is recorded meanwhile is then in the ledger.
    async past() {
      const waiting = await waitingIn(outbox);
      return pastReleases(await ledger.lines(), waiting, ledger.tags);
    },
    async pending(study, site) {
      const stored = await waitingAt(pendingPath(study, site));
      if (stored === undefined) return undefined;
      const { release, source, approvedAt } = stored;
      const file = await fileOf(outbox, stored);
      if (file === undefined) return undefined;
      if (digestBytes(file) !== release.digest) return undefined;
      const tags = stored.tags === undefined ? undefined : await ledger.tags(stored.tags);
      const others = await readOtherTags(stored, ledger.tags);
      return { release, source, approvedAt, file, ...defined({ tags }), ...others };
    },
    queue: ({ file, tags, people, over, ...rest }, reviewed) =>
      ledger.locked(async () => {
        refuseUnreviewed(await ledger.lines(), await waitingIn(outbox), reviewed);
        const { study, site } = rest.release;
        const beside = file.length > LARGE ? `${nameOf(study, site)}.file` : undefined;
        // The large file first: an entry never lacks its file.
        if (beside !== undefined) await writeSafely(join(outbox, beside), file, FILE_MODE);
        const stored: StoredPending = {
          schema: PENDING_SCHEMA,
          ...rest,
          ...(beside === undefined ? { file: toBase64(file) } : { beside }),
          ...(await ledger.keepTags(tags, defined({ people, over }))),
        };
        await writeSafely(pendingPath(study, site), JSON.stringify(stored), FILE_MODE);
      }),
    discard: (study, site) =>
      ledger.locked(async () => {
        await rm(pendingPath(study, site), { force: true });
        await rm(join(outbox, `${nameOf(study, site)}.file`), { force: true });
        await ledger.dropTags((await waitingIn(outbox)).flatMap(tagDigests));
      }),
    async acknowledged(study, site) {
      const kept = (await receivedIn(receipts)).map(({ receipt }) => receipt);
      return kept.filter((receipt) => receipt.study === study && receipt.site === site);
    },
    training: (study, site) => readIfThere(trainingPath(study, site)),
    async keepTraining(study, site, text) {
      const path = trainingPath(study, site);
      if (text === undefined) await rm(path, { force: true });
      else await writeSafely(path, text, FILE_MODE);
    },
    masks: (study, site) => readIfThere(masksPath(study, site)),
    keepMasks: (study, site, text) => writeSafely(masksPath(study, site), text, FILE_MODE),
    async keepReceipt(receipt, text) {
      const name = `${studyId(receipt.study)}-${fileName(receipt.site)}-${receipt.sequence}`;
      const path = join(receipts, `${name}.json`);
      const json = `${JSON.stringify(receipt, null, 2)}\n`;
      await keepLost(path, json);
      await writeSafely(join(receipts, `${name}.txt`), text, FILE_MODE);
      await writeSafely(path, json, FILE_MODE);
      await rm(trainingPath(receipt.study, receipt.site), { force: true });
      return path;
    },
  };
}

const PENDING_SCHEMA = 'suffice/pending@1';
const KEY_SCHEMA = 'suffice/signing-key@1';

interface StoredPending extends Omit<Pending, 'file' | 'tags' | 'people' | 'over'>, TagDigests {
  readonly schema: typeof PENDING_SCHEMA;
  /** Base64. */
  readonly file?: string;
  /** The name of a large file in the outbox. */
  readonly beside?: string;
}

/** Larger files have a file of their own: as text in JSON one of gigabytes is longer than a text may be. */
const LARGE = 2 ** 22;

const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');

async function fileOf(outbox: string, { file, beside }: StoredPending) {
  if (file !== undefined) return new Uint8Array(Buffer.from(file, 'base64'));
  // The name is one of this folder, whatever the entry says.
  if (beside === undefined || beside !== basename(beside)) return undefined;
  return readFile(join(outbox, beside)).catch(() => undefined);
}

async function waitingAt(path: string): Promise<StoredPending | undefined> {
  const stored = parsed<StoredPending>((await readIfThere(path)) ?? '');
  if (stored?.schema !== PENDING_SCHEMA) return undefined;
  if (typeof (stored.file ?? stored.beside) !== 'string') return undefined;
  const { isWaitingEntry } = await import('../../site/ledger-schema.ts'); // zod takes a tenth of a second to load
  return isWaitingEntry(stored) ? stored : undefined;
}

/** All pending contributions, oldest first. */
async function waitingIn(outbox: string): Promise<readonly StoredPending[]> {
  const names = (await readdir(outbox)).filter((name) => name.endsWith('.json'));
  const stored = await Promise.all(names.map((name) => waitingAt(join(outbox, name))));
  return stored
    .filter((one) => one !== undefined)
    .sort((a, b) => a.approvedAt.localeCompare(b.approvedAt));
}

/**
 * Keeps another receipt of the same number apart before a new one takes its place: a coordinator that was restored gives a number
 * twice, and the first receipt proves what it has lost.
 */
async function keepLost(path: string, json: string): Promise<void> {
  const earlier = await readIfThere(path);
  if (earlier === undefined || earlier === json) return;
  const lost = join(dirname(path), 'lost');
  await mkdir(lost, { recursive: true, mode: FOLDER_MODE });
  const digest = digestBytes(new TextEncoder().encode(earlier)).slice(-8);
  await publishFile(join(lost, `${basename(path, '.json')}-${digest}.json`), earlier, FILE_MODE);
}

/** The receipts that are stored, with their files. */
async function receivedIn(receipts: string): Promise<{ receipt: SealedReceipt; file: string }[]> {
  const received: { receipt: SealedReceipt; file: string }[] = [];
  for (const name of (await readdir(receipts)).filter((name) => name.endsWith('.json'))) {
    const receipt = parsed<SealedReceipt>((await readIfThere(join(receipts, name))) ?? '');
    if (receipt?.schema !== 'suffice/receipt@1' || typeof receipt.digest !== 'string') continue;
    received.push({ receipt, file: `receipts/${name}` });
  }
  return received;
}

/** The key of the site. If several processes create it at once, all get the same one. */
async function readOrMakeKey(path: string): Promise<SigningKey> {
  if ((await readIfThere(path)) === undefined) {
    const { secret, key } = createSigningKey();
    const text = `${JSON.stringify({ schema: KEY_SCHEMA, secret, key }, null, 2)}\n`;
    await publishFile(path, text, FILE_MODE);
  }
  const stored = parsed<{ schema: string; secret: string }>(await readFile(path, 'utf8'));
  try {
    if (stored?.schema === KEY_SCHEMA) return signingKey(stored.secret);
  } catch {
    // the error is thrown below
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
