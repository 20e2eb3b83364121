import { createReadStream, createWriteStream, existsSync, type Stats, statSync } from 'node:fs';
import { mkdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sql } from 'kysely';
import type { StoreContents } from '../../coordinator/inspect-store.ts';
import { FailureError } from '../../failure.ts';
import { writeToken } from '../server/operator-token.ts';
import { placeFile, taken } from '../store/copy-store.ts';
import { type SqliteFile, withSqliteFile } from '../store/sqlite-file.ts';
import { BACKUP_NOTE, type BackupNote, requireWhole, STORE_FILE, TOKEN_FILE } from './backup.ts';

/** A data folder that was made from a backup. */
export interface Restored {
  readonly data: string;
  readonly contents: StoreContents;
  /** When the backup was made; absent in copies that another program made. */
  readonly madeAt?: string;
  /** The operator's token: put back, as it is in the folder already, or not in the backup. */
  readonly token: 'restored' | 'kept' | 'absent';
  /** The record of releases beside the folder, which is left as it is, and its number of releases. */
  readonly releases: { readonly file: string; readonly count: number };
}

/** Makes a data folder from a backup, or refuses and changes nothing. A store that is there is never overwritten. */
export async function restore(file: string, data: string): Promise<Restored> {
  const store = join(data, STORE_FILE);
  for (const name of ['', '-wal', '-shm'])
    if (existsSync(`${store}${name}`)) throw inTheWay(`${store}${name}`);
  requireBackup(file);
  const made = await mkdir(data, { recursive: true, mode: 0o700 });
  const draft = `${store}.draft`;
  try {
    await rm(draft, { force: true }); // of a restore that was killed
    // Not copyFile: it would give the store the mode of the backup, which others may read.
    await pipeline(createReadStream(file), createWriteStream(draft, { flags: 'wx', mode: 0o600 }));
    const { contents, note } = await withSqliteFile(
      draft,
      async (copy) => {
        refuseStatements(copy, file);
        return { contents: await requireWhole(copy, file), note: await takeNote(copy, file) };
      },
      file,
    );
    const token = await restoreToken(join(data, TOKEN_FILE), note?.adminToken);
    await placeFile(draft, store);
    return {
      data,
      contents,
      ...(note === undefined ? {} : { madeAt: note.madeAt }),
      token,
      releases: await releasesBeside(data),
    };
  } finally {
    for (const rest of ['', '-journal', '-wal', '-shm'])
      await rm(`${draft}${rest}`, { force: true });
    // Empty only if nothing was restored.
    if (made !== undefined) await rmdir(data).catch(() => {});
  }
}

/** A backup may come through a pipe, as from a program that decrypts it. */
function requireBackup(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  const problem = notBackup(found);
  if (problem === undefined) return;
  throw new FailureError('data', {
    problem,
    remedy: 'give the file of a backup',
    place: { file },
  });
}

function inTheWay(file: string): FailureError {
  const { problem, place } = taken(file);
  return new FailureError('data', {
    problem: `${problem}: the folder has a store`,
    remedy: 'stop its coordinator, move the folder away, and restore again',
    ...(place === undefined ? {} : { place }),
  });
}

/** Refuses a file with triggers, views or virtual tables, before it is asked anything else: they run here, and later in the coordinator. */
function refuseStatements({ connection }: SqliteFile, file: string): void {
  const { rows } = connection.run(
    'select count(*) as found from sqlite_master where coalesce(rootpage, 0) = 0',
  );
  if (rows[0].found === 0) return;
  throw notOfSuffice(
    'the file has a trigger, a view or a virtual table, and no store has one',
    file,
  );
}

function notOfSuffice(problem: string, file: string): FailureError {
  return new FailureError('data', {
    problem: `${problem}: somebody has changed it`,
    remedy: 'find out who; restore another backup',
    place: { file },
  });
}

function notBackup(found: Stats | undefined): string | undefined {
  if (found === undefined) return 'there is no such file';
  if (found.isDirectory()) return 'this is a folder, not a file';
  return found.isFile() && found.size === 0 ? 'the file is empty' : undefined;
}

/** Reads the note of a backup and removes it, with the token in it. */
async function takeNote({ db }: SqliteFile, file: string): Promise<BackupNote | undefined> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', BACKUP_NOTE)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  await sql`pragma secure_delete = on`.execute(db);
  await db.deleteFrom('settings').where('name', '=', BACKUP_NOTE).execute();
  const note = noteIn(row.value);
  if (note === undefined) throw notOfSuffice('the note of the backup is none', file);
  return note;
}

/** A note with the token of an operator or without one; undefined for any other text. */
function noteIn(text: string): BackupNote | undefined {
  try {
    const note: BackupNote = JSON.parse(text);
    const { madeAt, adminToken } = note;
    const hasTexts = [madeAt, adminToken ?? ''].every((text) => typeof text === 'string');
    return hasTexts ? note : undefined;
  } catch {
    return undefined;
  }
}

async function restoreToken(file: string, token: string | undefined): Promise<Restored['token']> {
  if (existsSync(file)) return 'kept';
  if (token === undefined) return 'absent';
  writeToken(file, token);
  return 'restored';
}

/** What the record of releases beside a folder has; restoring never touches it. */
async function releasesBeside(data: string): Promise<Restored['releases']> {
  const file = `${resolve(data)}.releases`;
  const text = await readFile(file, 'utf8').catch(() => '');
  return { file, count: text.split('\n').filter((line) => line.trim() !== '').length };
}
