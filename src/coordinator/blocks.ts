import type { Kysely } from 'kysely';
import { sentBytes, storedEntries } from '../statistic/envelope.ts';
import { type Layout, shapeOf, wordsOf } from '../statistic/layout.ts';
import { hasPackedEntries } from '../statistic/packed-entries.ts';
import type { RingVector } from '../statistic/ring.ts';
import { digestBytes, startDigest } from '../study/digest.ts';
import type { ContributionsTable, Tables } from './tables.ts';

/** A file in the table of blocks. */
export interface BlockedFile {
  readonly study: string;
  readonly site: string;
  /** SHA-256, as in a contribution. */
  readonly file: string;
}

/** Writes a whole file as blocks, in place of those that were there. */
export async function writeBlocks(
  db: Kysely<Tables>,
  { study, site, file }: BlockedFile,
  body: Uint8Array,
  blockBytes: number,
): Promise<void> {
  await deleteBlocks(db, { study, site, file });
  for (let number = 0; number * blockBytes < body.length; number++) {
    const block = body.subarray(number * blockBytes, (number + 1) * blockBytes);
    const digest = digestBytes(block);
    await db
      .insertInto('blocks')
      .values({ study, site, file, number, digest, bytes: block.length, body: block })
      .execute();
  }
}

async function deleteBlocks(db: Kysely<Tables>, { study, site, file }: BlockedFile): Promise<void> {
  await db
    .deleteFrom('blocks')
    .where('study', '=', study)
    .where('site', '=', site)
    .where('file', '=', file)
    .execute();
}

/** Deletes the file that a site has begun to send and not finished, if there is one. */
export async function deleteUnfinished(
  db: Kysely<Tables>,
  study: string,
  site: string,
): Promise<void> {
  const begun = await db
    .selectFrom('uploads')
    .select('file')
    .where('study', '=', study)
    .where('site', '=', site)
    .where('sequence', 'is', null)
    .execute();
  for (const { file } of begun) await deleteUpload(db, { study, site, file });
}

/** Deletes a file and its blocks. */
export async function deleteUpload(db: Kysely<Tables>, blocked: BlockedFile): Promise<void> {
  await deleteBlocks(db, blocked);
  await db
    .deleteFrom('uploads')
    .where('study', '=', blocked.study)
    .where('site', '=', blocked.site)
    .where('file', '=', blocked.file)
    .execute();
}

/** The blocks of a file in their order, one in memory at a time. */
export async function* readBlocks(
  db: Kysely<Tables>,
  { study, site, file }: BlockedFile,
): AsyncGenerator<Uint8Array> {
  for (let number = 0; ; number++) {
    const row = await db
      .selectFrom('blocks')
      .select('body')
      .where('study', '=', study)
      .where('site', '=', site)
      .where('file', '=', file)
      .where('number', '=', number)
      .executeTakeFirst();
    if (row === undefined) return;
    yield row.body;
  }
}

/** The whole file, or undefined if its blocks are not those of its digest and length. */
export async function readWhole(
  db: Kysely<Tables>,
  blocked: BlockedFile,
  bytes: number,
): Promise<Uint8Array | undefined> {
  const whole = new Uint8Array(bytes);
  let length = 0;
  for await (const block of readBlocks(db, blocked)) {
    if (length + block.length > bytes) return undefined;
    whole.set(block, length);
    length += block.length;
  }
  return length === bytes && digestBytes(whole) === blocked.file ? whole : undefined;
}

/** Takes entries of a contribution: those from number `first` on. */
export type TakeEntries = (values: RingVector, first: number) => void;

/**
 * Gives the entries of a stored contribution to `take` block by block, in their order. False if it has been erased meanwhile;
 * throws if its bytes are not those of its digest, and what was taken must then not be used.
 */
export async function readEntries(
  db: Kysely<Tables>,
  study: string,
  layout: Layout,
  { site, digest, bytes }: Pick<ContributionsTable, 'site' | 'digest' | 'bytes'>,
  take: TakeEntries,
): Promise<boolean> {
  if (digest === null || bytes === null) return false;
  const blocked = { study, site, file: digest };
  if (hasPackedEntries(shapeOf(layout))) {
    const whole = await readWhole(db, blocked, bytes);
    if (whole !== undefined) take(storedEntries(layout, whole), 0);
    return whole !== undefined;
  }
  const words = wordsOf(layout);
  const entryBytes = 4 * words;
  const hash = startDigest();
  let headerLeft = bytes - sentBytes(layout);
  let rest = new Uint8Array(0);
  let first = 0;
  let length = 0;
  for await (const block of readBlocks(db, blocked)) {
    hash.update(block);
    length += block.length;
    const skipped = Math.min(headerLeft, block.length);
    headerLeft -= skipped;
    const data = joined(rest, block.subarray(skipped));
    const whole = data.length - (data.length % entryBytes);
    if (whole > 0) take(new Uint32Array(data.buffer, 0, whole / 4), first);
    first += whole / entryBytes;
    rest = data.slice(whole);
  }
  if (length === 0) return false;
  if (hash.digest() !== digest) throw damagedStore(study);
  return true;
}

/** The two after each other, in a buffer of their own. */
function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/** The error for bytes that are not those that were acknowledged. */
export function damagedStore(study: string): Error {
  return new Error(`a contribution to ${study} differs from its digest: the store is damaged`);
}
