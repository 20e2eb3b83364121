import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { inspectStore, type StoreContents } from '../../coordinator/inspect-store.ts';
import { refuseNewer, tablesVersionOf } from '../../coordinator/migrations.ts';
import type { Tables } from '../../coordinator/tables.ts';
import { FailureError } from '../../failure.ts';
import { copyStore, taken } from '../store/copy-store.ts';
import { damageIn, type SqliteFile } from '../store/sqlite-file.ts';

/** A verified copy of a store. */
export interface Backup {
  readonly file: string;
  readonly bytes: number;
  readonly madeAt: string;
  readonly contents: StoreContents;
  /** Whether the copy has the operator's token. */
  readonly hasToken: boolean;
}

/** What a backup says about itself, as a setting of the copied store. */
export interface BackupNote {
  readonly schema: 'suffice/backup-note@1';
  readonly madeAt: string;
  /** The operator's token, as it was in the data folder. */
  readonly adminToken?: string;
}

/** The setting of a copy that has its note. */
export const BACKUP_NOTE = 'backup';

export const STORE_FILE = 'suffice.db';
export const TOKEN_FILE = 'admin-token';

/** Copies the store of a data folder to one file, while a coordinator may be running, and checks the copy. */
export async function backUp(data: string, file: string, now: Date = new Date()): Promise<Backup> {
  if (existsSync(file)) throw taken(file);
  const token = await tokenIn(data);
  const madeAt = now.toISOString();
  const contents = await copyStore(join(data, STORE_FILE), file, async (copy) => {
    const found = await requireWhole(copy, file);
    await writeNote(copy.db, {
      schema: 'suffice/backup-note@1',
      madeAt,
      ...(token === undefined ? {} : { adminToken: token.trim() }),
    });
    return found;
  });
  const bytes = statSync(file).size;
  return { file, bytes, madeAt, contents, hasToken: token !== undefined };
}

/** The operator's token; undefined if the folder has none. One that cannot be read would be missing after a restore. */
async function tokenIn(data: string): Promise<string | undefined> {
  const file = join(data, TOKEN_FILE);
  try {
    return await readFile(file, 'utf8');
  } catch (failure) {
    const { code = '' } = failure as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new FailureError('data', {
      problem: `the operator’s token cannot be read (${code})`,
      remedy: 'run the command as the user of the coordinator',
      place: { file },
    });
  }
}

/** What a copy holds; refuses one that is damaged, or of a newer program. */
export async function requireWhole(copy: SqliteFile, file: string): Promise<StoreContents> {
  const damage = await damageIn(copy);
  if (damage.length > 0) throw damaged(damage, file);
  const version = await tablesVersionOf(copy.db);
  refuseNewer(version);
  if (version === 0) {
    throw new FailureError('data', {
      problem: 'the file is no store of a coordinator or helper',
      remedy: 'give a backup, or the data folder of a coordinator',
      place: { file },
    });
  }
  const { contents, problems } = await inspectStore(copy.db);
  if (problems.length > 0) throw damaged(problems, file);
  return contents;
}

function damaged(problems: readonly string[], file: string): FailureError {
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return new FailureError('data', {
    problem: `the store is damaged: ${problems[0]}${more}`,
    remedy: 'keep it for a closer look; put back the newest backup that is whole',
    place: { file },
  });
}

async function writeNote(db: Kysely<Tables>, note: BackupNote): Promise<void> {
  const value = JSON.stringify(note);
  await db
    .insertInto('settings')
    .values({ name: BACKUP_NOTE, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
