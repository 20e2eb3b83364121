import type { Kysely } from 'kysely';
import { Refusal } from '../protocol/refusal.ts';
import type { Upload } from '../protocol/upload-message.ts';
import { digestBytes } from '../study/digest.ts';
import { requireSite } from './access.ts';
import { type BlockedFile, deleteUnfinished, deleteUpload, readWhole } from './blocks.ts';
import { uploadLimits } from './contributions.ts';
import type { ArrivedBlock, Caller } from './coordinator.ts';
import type { CoordinatorContext } from './coordinator-context.ts';
import type { Tables } from './tables.ts';

/** How much of a file has arrived. */
export async function readUpload(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  file: string,
): Promise<Upload> {
  const site = requireSite(caller, id);
  return uploadOf(context, context.store.db, { study: id, site, file });
}

/**
 * Stores the next block of a file; returns after the commit. A block that is there already is not stored again. A site has one
 * unfinished file: the first block of another one takes its place.
 */
export async function storeBlock(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  file: string,
  { number, body, digest }: ArrivedBlock,
): Promise<Upload> {
  const site = requireSite(caller, id);
  const { limit } = await uploadLimits(context, caller, id);
  if (digestBytes(body) !== digest) {
    throw new Refusal('bad-request', 'the block differs from its digest', 'send it again');
  }
  const blocked = { study: id, site, file };
  return context.store.write(await context.firstRound(id), async (db) => {
    const { blocks, blockBytes } = await uploadOf(context, db, blocked);
    if (number > blocks) throw notNext(blocks);
    const known = await blockAt(db, blocked, number);
    if (known !== undefined) {
      if (known.digest === digest) return uploadOf(context, db, blocked);
      throw new Refusal(
        'conflict',
        `another block ${number} of this file has arrived`,
        'send the blocks of one file',
      );
    }
    const before = number === 0 ? undefined : await blockAt(db, blocked, number - 1);
    const ended = before !== undefined && before.bytes < blockBytes;
    if (ended || body.length === 0 || body.length > blockBytes) throw wrongLength(blockBytes);
    if (number * blockBytes + body.length > limit) {
      throw new Refusal(
        'too-large',
        `a contribution to this study has at most ${limit} bytes`,
        'make the contribution again, for this study',
      );
    }
    if (number === 0) {
      await deleteUnfinished(db, id, site);
      const started_at = await context.now(db);
      await db
        .insertInto('uploads')
        .values({ ...blocked, started_at, sequence: null })
        .execute();
    }
    await db
      .insertInto('blocks')
      .values({ ...blocked, number, digest, bytes: body.length, body })
      .execute();
    return uploadOf(context, db, blocked);
  });
}

/** The whole of a file whose blocks have all arrived. */
export async function uploadedFile(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  file: string,
): Promise<Uint8Array> {
  const site = requireSite(caller, id);
  const blocked = { study: id, site, file };
  const { db } = context.store;
  const { bytes } = await sumOf(db, blocked);
  const whole = bytes === 0 ? undefined : await readWhole(db, blocked, bytes);
  if (whole !== undefined) return whole;
  throw new Refusal(
    'conflict',
    'the file has not arrived as a whole',
    'ask which block is next, and send the rest',
  );
}

/** Bytes of a file that have arrived. */
export async function uploadedBytes(
  context: CoordinatorContext,
  caller: Caller,
  id: string,
  file: string,
): Promise<number> {
  const site = requireSite(caller, id);
  return (await sumOf(context.store.db, { study: id, site, file })).bytes;
}

/** Days after which a file that was not finished is deleted. */
const KEPT_DAYS = 7;
const DAY_MS = 86_400_000;

/** Deletes files that sites began to send a week ago and never finished. */
export async function forgetUploads(context: CoordinatorContext): Promise<void> {
  const { store } = context;
  const oldest = new Date(Date.parse(await context.now()) - KEPT_DAYS * DAY_MS).toISOString();
  const old = await store.db
    .selectFrom('uploads')
    .select(['study', 'site', 'file'])
    .where('sequence', 'is', null)
    .where('started_at', '<', oldest)
    .execute();
  if (old.length === 0) return;
  for (const blocked of old) {
    await store.write(await context.firstRound(blocked.study), (db) => deleteUpload(db, blocked));
  }
  await store.scrub();
}

async function uploadOf(
  context: CoordinatorContext,
  db: Kysely<Tables>,
  blocked: BlockedFile,
): Promise<Upload> {
  const { blocks } = await sumOf(db, blocked);
  // The blocks of a file that was begun before a change of the setting keep their length.
  const first = blocks === 0 ? undefined : await blockAt(db, blocked, 0);
  const blockBytes = blocks > 1 && first !== undefined ? first.bytes : context.blockBytes;
  return { schema: 'suffice/upload@1', blocks, blockBytes };
}

async function sumOf(
  db: Kysely<Tables>,
  { study, site, file }: BlockedFile,
): Promise<{ readonly blocks: number; readonly bytes: number }> {
  const rows = await db
    .selectFrom('blocks')
    .select('bytes')
    .where('study', '=', study)
    .where('site', '=', site)
    .where('file', '=', file)
    .execute();
  return { blocks: rows.length, bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function blockAt(db: Kysely<Tables>, { study, site, file }: BlockedFile, number: number) {
  return db
    .selectFrom('blocks')
    .select(['digest', 'bytes'])
    .where('study', '=', study)
    .where('site', '=', site)
    .where('file', '=', file)
    .where('number', '=', number)
    .executeTakeFirst();
}

function notNext(blocks: number): Refusal {
  return new Refusal('conflict', `block ${blocks} is next`, 'send the blocks in their order');
}

function wrongLength(blockBytes: number): Refusal {
  return new Refusal(
    'bad-request',
    `every block but the last has ${blockBytes} bytes`,
    'cut the file into blocks of this length',
  );
}
