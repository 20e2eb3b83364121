import Database from 'libsql';
import { FailureError } from '../../failure.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { TransactionEnded } from './sqlite-connection.ts';

/** The code of an SQLite error, such as `SQLITE_IOERR_WRITE`; undefined for other errors. */
export function sqliteCode(error: unknown): string | undefined {
  if (!(error instanceof Database.SqliteError)) return undefined;
  const { code, rawCode = 0 } = error;
  return code.startsWith('SQLITE_') ? code : (primaryCodes[rawCode & 0xff] ?? code);
}

/** libsql does not name every extended code, such as that of a folder that can only be read; the lowest byte is the primary one. */
const primaryCodes: Readonly<Record<number, string>> = {
  3: 'SQLITE_PERM',
  5: 'SQLITE_BUSY',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
};

/** Whether another connection has the lock. */
export function isBusy(error: unknown): boolean {
  return sqliteCode(error)?.startsWith('SQLITE_BUSY') === true;
}

/** Whether an error has ended its transaction, as a full or failing disk does. */
export function endsTransaction(error: unknown): boolean {
  if (error instanceof TransactionEnded) return true;
  return /^SQLITE_(FULL|IOERR|NOMEM)/.test(sqliteCode(error) ?? '');
}

/** Problem and remedy by the beginning of an error's code. */
const unavailable: Readonly<Record<string, readonly [problem: string, remedy: string]>> = {
  SQLITE_FULL: [
    'the disk of the coordinator’s store is full',
    'try again later; the operator must make room on that disk',
  ],
  SQLITE_IOERR: [
    'the disk of the coordinator’s store does not read or write',
    'try again later; the operator must look at that disk',
  ],
  SQLITE_READONLY: [
    'the coordinator’s store cannot be written',
    'try again later; the operator must make its folder writable',
  ],
  SQLITE_BUSY: [
    'another process has been writing to the store for long',
    'try again in a moment; one coordinator at a time may use the folder',
  ],
};

/** SQLite's code for the errors of a system call, when the log is written to the disk. */
const systemCodes: Readonly<Record<string, string>> = {
  ENOSPC: 'SQLITE_FULL',
  EDQUOT: 'SQLITE_FULL',
  EIO: 'SQLITE_IOERR',
  ENOENT: 'SQLITE_IOERR',
  EROFS: 'SQLITE_READONLY',
  EACCES: 'SQLITE_READONLY',
};

/** Throws the error again, as a refusal with a plain message if the disk or the file is the reason. */
export function refuseFailedWrite(error: unknown): never {
  const code = sqliteCode(error) ?? systemCodes[(error as NodeJS.ErrnoException).code ?? ''];
  if (code !== undefined) {
    const key = Object.keys(unavailable).find((name) => code.startsWith(name));
    if (key !== undefined) throw new Refusal('store-unavailable', ...unavailable[key]);
  }
  throw error;
}

/**
 * Throws the error of opening a store again, with a plain message if the file or its folder is the reason. A damaged
 * copy has the name of its `original`.
 */
export function refuseUnopened(error: unknown, file: string, original: string = file): never {
  const fail = (problem: string, remedy: string, named: string = file): never => {
    throw new FailureError('data', { problem, remedy, place: { file: named } });
  };
  const { code: system } = error as NodeJS.ErrnoException;
  if (system === 'ENOSPC' || system === 'EDQUOT') {
    fail('the disk of the store is full', 'make room on the disk');
  }
  if (system === 'EACCES' || system === 'EPERM' || system === 'EROFS') {
    fail(
      `the store cannot be written (${system})`,
      'make the file and its folder writable for this user',
    );
  }
  const code = sqliteCode(error);
  if (code !== undefined) {
    if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
      fail(
        'the store is damaged',
        'keep a copy of it, then restore the newest backup: docs/backup.md',
        original,
      );
    }
    if (/^SQLITE_(FULL|IOERR)/.test(code)) {
      fail('the disk of the store is full or does not work', 'make room on the disk');
    }
    if (/^SQLITE_(READONLY|CANTOPEN|PERM)/.test(code)) {
      fail('the store cannot be written', 'make the file and its folder writable for this user');
    }
    if (code.startsWith('SQLITE_BUSY')) {
      fail('another process uses the store', 'stop the other coordinator on this folder');
    }
  }
  throw error;
}
