import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { DataError } from '../data-error.ts';
import { studyId } from '../protocol/link.ts';
import type { SealedReceipt } from '../protocol/messages.ts';
import { createSigningKey, type SigningKey, signingKey } from '../protocol/signature.ts';
import { type Pending, refuseUnreviewed, type SiteHome } from '../site/home.ts';
import { pastReleases } from '../site/past-releases.ts';
import { digestBytes } from '../study/digest.ts';
import { publish, readIfThere, removeOldDrafts, writeSafely } from './safe-file.ts';
import { FILE_MODE, FOLDER_MODE, openSiteLedger } from './site-ledger.ts';

/** A site's own folder. */
export interface FolderHome extends SiteHome {
  readonly folder: string;
}

/** The folder of this machine's site: as given, by SUFFICE_HOME, or ~/.suffice. */
export function siteFolder(given: string | undefined): string {
  return resolve(given ?? (process.env.SUFFICE_HOME || join(homedir(), '.suffice')));
}

export async function openSiteHome(folder: string): Promise<FolderHome> {
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
