import { dirname, join } from 'node:path';
import type { Kysely } from 'kysely';
import { tablesVersion, tablesVersionOf } from '../../coordinator/migrations.ts';
import type { Tables } from '../../coordinator/tables.ts';
import { FailureError } from '../../failure.ts';
import { copyStore } from './copy-store.ts';
import { damageIn, type SqliteFile } from './sqlite-file.ts';

/** Tables that were brought to this program's version. */
export interface Upgrade {
  readonly from: number;
  readonly to: number;
  /** The store as it was before; absent if no copy was wanted. */
  readonly copy?: string;
}

export interface UpgradeOptions {
  /** Whether a store of an earlier version is copied first; not unless `make`. */
  readonly upgradeCopy?: 'make' | 'skip';
  readonly onUpgrade?: (upgrade: Upgrade) => void;
}

/** The names of such copies, in the folder of the store. */
export const UPGRADE_COPY: RegExp = /^suffice-version-\d+-\d{8}T\d{6}Z\.db$/;

/** Copies a store whose tables are about to change, beside it; undefined if they will not. */
export async function copyBeforeUpgrade(
  path: string,
  db: Kysely<Tables>,
  { upgradeCopy }: UpgradeOptions,
): Promise<Upgrade | undefined> {
  const from = await tablesVersionOf(db);
  const to = tablesVersion;
  if (from === 0 || from >= to) return undefined;
  if (upgradeCopy !== 'make') return { from, to };
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const copy = join(dirname(path), `suffice-version-${from}-${time}.db`);
  await copyStore(path, copy, requireUndamaged);
  return { from, to, copy };
}

async function requireUndamaged(copy: SqliteFile): Promise<void> {
  const [damage] = await damageIn(copy);
  if (damage === undefined) return;
  throw new FailureError('data', {
    problem: `the store is damaged, and was not upgraded: ${damage}`,
    remedy: 'keep a copy of it, then restore the newest backup: docs/operations.md',
  });
}
