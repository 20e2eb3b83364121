import { checkCoordinator } from './check-coordinator.ts';
import { checkDatabase } from './check-database.ts';
import { checkDisk } from './check-disk.ts';
import { checkMachine } from './check-machine.ts';
import type { CheckResult } from './check-result.ts';
import { checkStore } from './check-store.ts';

/** What to look at, beside this machine. */
export interface DoctorOptions {
  readonly nodeVersion: string;
  /** Data folder of a coordinator or helper. */
  readonly data?: string;
  /** Address of a PostgreSQL database. */
  readonly database?: string;
  /** Address of a running coordinator or helper. */
  readonly coordinator?: string;
}

/** Everything that the checks find, in their order. Nothing is changed. */
export async function examine(options: DoctorOptions): Promise<readonly CheckResult[]> {
  const { data, database, coordinator } = options;
  return [
    ...(await checkMachine(options.nodeVersion)),
    ...(data === undefined ? [] : await folderResults(data)),
    ...(database === undefined ? [] : await checkDatabase(database)),
    ...(coordinator === undefined ? [] : await checkCoordinator(coordinator)),
  ];
}

async function folderResults(data: string): Promise<readonly CheckResult[]> {
  const disk = await checkDisk(data);
  return disk.length === 1 ? disk : [...disk, ...(await checkStore(data))];
}
