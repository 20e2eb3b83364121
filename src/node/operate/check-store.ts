import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { inspectStore, type StoreContents } from '../../coordinator/inspect-store.ts';
import { tablesVersion, tablesVersionOf } from '../../coordinator/migrations.ts';
import type { Tables } from '../../coordinator/tables.ts';
import { FailureError } from '../../failure.ts';
import { byteText, grouped } from '../../text/number-text.ts';
import { damageIn, withSqliteFile } from '../store/sqlite-file.ts';
import { STORE_FILE } from './backup.ts';
import { type CheckResult, ok, problem, warning } from './check-result.ts';

/** Checks the store of a folder, beside the coordinator that may run on it: pages, version, logs, contributions. */
export async function checkStore(data: string): Promise<readonly CheckResult[]> {
  try {
    return await withSqliteFile(join(data, STORE_FILE), async (file) => {
      const damage = await damageIn(file);
      if (damage.length > 0) return damage.map(damaged);
      return [
        ok('integrity', 'SQLite finds every page and index whole'),
        ...(await checkTables(file.db)),
      ];
    });
  } catch (failure) {
    if (!(failure instanceof FailureError)) throw failure;
    return [problem('store', failure.message, failure.remedy)];
  }
}

function damaged(text: string): CheckResult {
  return problem('store', text, 'keep a copy of it, then restore the newest backup that is whole');
}

/** Checks the tables of a store in either database. */
export async function checkTables(db: Kysely<Tables>): Promise<readonly CheckResult[]> {
  const version = await tablesVersionOf(db);
  if (version === 0) {
    return [warning('tables', 'there are none yet', 'start a coordinator: it makes them')];
  }
  if (version > tablesVersion) {
    const text = `version ${version}; this program knows versions up to ${tablesVersion}`;
    return [problem('tables', text, 'install the newer suffice that made them')];
  }
  const { contents, problems } = await inspectStore(db);
  return [
    version === tablesVersion
      ? ok('tables', `version ${version}`)
      : warning(
          'tables',
          `version ${version}; this program will upgrade them to ${tablesVersion}`,
          'make a backup before the new program starts for the first time',
        ),
    ...(problems.length === 0 ? [ok('store', contentText(contents))] : problems.map(damaged)),
  ];
}

function contentText({ studies, contributions, bytes, logEntries }: StoreContents): string {
  const count = Object.values(studies).reduce((sum, n) => sum + n, 0);
  const held = [
    counted(count, 'study', 'studies'),
    `${counted(contributions, 'contribution', 'contributions')} (${byteText(bytes)})`,
    counted(logEntries, 'log entry', 'log entries'),
  ];
  return `${held.join(', ')}: every chain, digest and seal holds`;
}

function counted(count: number, one: string, many: string): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}
