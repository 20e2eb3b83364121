import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type RowTags, tagBytes, tagsFromBytes } from '../../disclosure/row-tags.ts';
import type { Failure } from '../../failure.ts';
import {
  chainedLine,
  checkChain,
  headText,
  type LedgerLine,
  lineDigest,
  prefixDigest,
  type SoundChain,
  unchained,
} from '../../site/ledger-chain.ts';
import { newSecretText, parseSecret, type SiteSecret } from '../../site/site-secret.ts';
import {
  type OtherTags,
  outcomeOf,
  refusalOf,
  type TagDigests,
  tagDigests,
} from '../../site/site-store.ts';
import { digestBytes } from '../../study/digest.ts';
import { type WaitNotice, whileLocked } from '../files/folder-lock.ts';
import { publishFile, readIfThere, removeOldDrafts, writeSafely } from '../files/safe-file.ts';

/** Releases that a ledger must contain, according to other files in the site's folder. */
export interface StoredRelease {
  /** Digests of contributions with a receipt, and the file of the receipt. */
  readonly received: readonly { readonly digest: string; readonly file: string }[];
  /** Pending contributions, and the digests of their tags. */
  readonly waiting: readonly ({ readonly digest: string } & TagDigests)[];
}

/** The ledger of a site: a chain of sealed lines, one for each release, and the tags of its rows. */
export interface SiteLedger {
  lines(): Promise<readonly LedgerLine[]>;
  /** Adds a line unless the same release is there; returns after it is on disk. Refuses if the ledger is not intact, or if `check` throws. */
  record(
    line: LedgerLine,
    tags?: RowTags,
    check?: (lines: readonly LedgerLine[]) => Promise<void>,
    others?: OtherTags,
  ): Promise<void>;
  /** The 128-bit key of the row tags; created at first use. */
  tagKey(): Promise<Uint32Array>;
  /** The stored tags with a digest; undefined if the file is missing or was changed. */
  tags(digest: string): Promise<RowTags | undefined>;
  /** What is wrong with the ledger; undefined if nothing is. */
  verify(stored: () => Promise<StoredRelease>): Promise<Failure | undefined>;
  /** Runs work while the ledger is locked. */
  locked<T>(work: () => Promise<T>): Promise<T>;
  /** Stores tags and returns their digests. Call it while locked, together with the write that refers to them. */
  keepTags(tags: RowTags | undefined, others: OtherTags): Promise<TagDigests>;
  /** Removes tags that neither a line nor `others` refer to. Call it while locked. */
  dropTags(others: readonly string[]): Promise<void>;
}

/** Only the owner may open the folder and read the files. */
export const FOLDER_MODE = 0o700;
export const FILE_MODE = 0o600;

/** A ledger as read from disk. */
interface Reading {
  /** Its complete lines. A half-written last line after a crash was never acknowledged. */
  readonly texts: readonly string[];
  /** Number of bytes of these lines. */
  readonly bytes: number;
  /** The secret and the checked chain; absent before the first use. */
  readonly seals?: { readonly secret: SiteSecret; readonly chain: SoundChain };
  readonly problem?: string;
}

export function openSiteLedger(folder: string, notice?: WaitNotice): SiteLedger {
  const ledgerPath = join(folder, 'ledger.jsonl');
  const headPath = join(folder, 'ledger.head');
  const secretPath = join(folder, 'ledger.secret');
  const rowsFolder = join(folder, 'rows');
  const tagsPath = (digest: string) => join(rowsFolder, tagsName(digest));
  const locked = <T>(work: () => Promise<T>) =>
    whileLocked(join(folder, 'ledger.lock'), work, notice);
  const doubt = (problem: string): Failure => ({
    problem,
    remedy: `restore ${folder} from a backup; nothing more is sent from this site until then`,
  });

  /** Reads and checks the ledger. Call it while locked. */
  async function read(): Promise<Reading> {
    const { texts, bytes } = completeLines(await readFile(ledgerPath).catch(nothingIfAbsent));
    const secret = await readSecret(secretPath);
    const head = await readIfThere(headPath);
    if (secret === 'unreadable') return { texts, bytes, problem: 'ledger.secret cannot be read' };
    if (secret === undefined) {
      return isUnsealed(texts, head)
        ? { texts, bytes }
        : { texts, bytes, problem: 'ledger.secret is missing' };
    }
    if (head === undefined) return { texts, bytes, problem: 'ledger.head is missing' };
    const odd = await oddLine(texts);
    if (odd !== undefined) {
      return { texts, bytes, problem: `line ${odd} of ledger.jsonl is not valid` };
    }
    const chain = checkChain(texts, head, secret);
    return 'problem' in chain
      ? { texts, bytes, problem: chain.problem }
      : { texts, bytes, seals: { secret, chain } };
  }

  const writeHead = (lines: number, last: string, secret: SiteSecret) =>
    writeSafely(headPath, headText(lines, last, secret), FILE_MODE);

  /** The intact ledger with its head up to date; seals it at first use. Throws if it is not intact. Call it while locked. */
  async function intactLedger(): Promise<Reading & Required<Pick<Reading, 'seals'>>> {
    const { texts, bytes, seals, problem } = await read();
    if (problem !== undefined) throw refusalOf(doubt(problem));
    if (seals !== undefined) {
      const { lines, last, headed } = seals.chain;
      if (!headed) await writeHead(lines, last, seals.secret);
      return { texts, bytes, seals };
    }
    const text = newSecretText();
    const secret = parseSecret(text)!;
    const chain = { lines: texts.length, last: prefixDigest(texts), headed: true };
    await writeHead(chain.lines, chain.last, secret);
    await publishFile(secretPath, text, FILE_MODE);
    return { texts, bytes, seals: { secret, chain } };
  }

  async function keepOne(tags: RowTags): Promise<string> {
    const bytes = tagBytes(tags);
    const digest = digestBytes(bytes);
    await mkdir(rowsFolder, { recursive: true, mode: FOLDER_MODE });
    await writeSafely(tagsPath(digest), bytes, FILE_MODE);
    return digest;
  }

  async function keepTags(
    tags: RowTags | undefined,
    { people, over = {} }: OtherTags,
  ): Promise<TagDigests> {
    const kept: [string, string][] = [];
    for (const [digest, one] of Object.entries(over)) kept.push([digest, await keepOne(one)]);
    return {
      ...(tags === undefined ? {} : { tags: await keepOne(tags) }),
      ...(people === undefined ? {} : { people: await keepOne(people) }),
      ...(kept.length === 0 ? {} : { over: Object.fromEntries(kept) }),
    };
  }

  async function tagsOf(digest: string): Promise<RowTags | undefined> {
    const bytes = await readFile(tagsPath(digest)).catch(nothingIfAbsent);
    return digestBytes(bytes) === digest ? tagsFromBytes(bytes) : undefined;
  }

  return {
    locked,
    keepTags,
    tags: tagsOf,
    lines: async () => {
      const { texts } = completeLines(await readFile(ledgerPath).catch(nothingIfAbsent));
      const { isLedgerLine } = await import('../../site/ledger-schema.ts');
      return texts.flatMap(parsed).filter(isLedgerLine);
    },
    async tagKey() {
      const secret = await readSecret(secretPath);
      if (secret !== undefined && secret !== 'unreadable') return secret.tagKey;
      return (await locked(intactLedger)).seals.secret.tagKey;
    },
    record: (line, tags, check, others = {}) =>
      locked(async () => {
        const { texts, bytes, seals } = await intactLedger();
        const lines = texts.flatMap(parsed);
        if (lines.some((other) => isSame(other, line))) return;
        await check?.(lines);
        const kept = await keepTags(tags, others);
        const { chain, secret } = seals;
        const text = chainedLine({ ...line, ...kept }, chain.last, secret);
        await append(ledgerPath, bytes, `${text}\n`);
        await writeHead(chain.lines + 1, lineDigest(text), secret);
      }),
    async verify(storedReleases) {
      const [{ texts, problem }, stored] = await locked(() =>
        Promise.all([read(), storedReleases()]),
      );
      if (problem !== undefined) return doubt(problem);
      const known = [...texts.flatMap(parsed), ...stored.waiting];
      const digests = new Set(known.map(({ digest }) => digest));
      const unknown = stored.received.find(({ digest }) => !digests.has(digest));
      if (unknown !== undefined)
        return doubt(`it has no line for the contribution of ${unknown.file}`);
      for (const digest of new Set(known.flatMap(tagDigests))) {
        if ((await tagsOf(digest)) === undefined) {
          return doubt(`rows/${tagsName(digest)} is missing or was changed`);
        }
      }
      return undefined;
    },
    async dropTags(others) {
      const { texts, problem } = await read();
      const names = await readdir(rowsFolder).catch(() => []);
      if (names.length === 0 || problem !== undefined) return;
      await removeOldDrafts(rowsFolder);
      const used = [...texts.flatMap(parsed).flatMap(tagDigests), ...others];
      const kept = new Set(used.map(tagsName));
      for (const name of names.filter((name) => name.endsWith('.tags') && !kept.has(name))) {
        await rm(join(rowsFolder, name), { force: true });
      }
    },
  };
}

const tagsName = (digest: string) => `${digest.replace('sha256:', '')}.tags`;

function isSame(a: LedgerLine, b: LedgerLine): boolean {
  const same = a.digest === b.digest && a.to === b.to && a.site === b.site;
  return same && outcomeOf(a) === outcomeOf(b);
}

/** Whether a ledger was never sealed, or a crash left its first head without the secret. */
function isUnsealed(texts: readonly string[], head: string | undefined): boolean {
  if (unchained(texts).length < texts.length) return false;
  if (head === undefined) return true;
  return head.includes(`"lines":${texts.length},"last":"${prefixDigest(texts)}"`);
}

function completeLines(bytes: Buffer): Pick<Reading, 'texts' | 'bytes'> {
  const end = bytes.lastIndexOf('\n') + 1;
  return { texts: bytes.toString('utf8', 0, end).split('\n').slice(0, -1), bytes: end };
}

/** Appends after the first `bytes` bytes of a file; what comes after them is overwritten. */
async function append(path: string, bytes: number, text: string): Promise<void> {
  const handle = await open(path, 'a', FILE_MODE);
  try {
    await handle.truncate(bytes);
    await handle.write(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function parsed(text: string): LedgerLine | readonly [] {
  try {
    return JSON.parse(text) ?? [];
  } catch {
    return []; // an old line from before the chain, half-written in a crash
  }
}

/** The number of the first line that is JSON and not a line of a ledger. */
async function oddLine(texts: readonly string[]): Promise<number | undefined> {
  const { isLedgerLine } = await import('../../site/ledger-schema.ts'); // zod takes a tenth of a second to load
  const odd = texts.findIndex((text) => [parsed(text)].flat().some((line) => !isLedgerLine(line)));
  return odd < 0 ? undefined : odd + 1;
}

function nothingIfAbsent(failure: NodeJS.ErrnoException): Buffer {
  if (failure.code === 'ENOENT') return Buffer.alloc(0);
  throw failure;
}

/** The stored secret; undefined if there is none yet. */
async function readSecret(path: string): Promise<SiteSecret | 'unreadable' | undefined> {
  const text = await readIfThere(path);
  return text === undefined ? undefined : (parseSecret(text) ?? 'unreadable');
}
