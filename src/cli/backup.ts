import type { Command } from 'commander';
import type { StoreContents } from '../coordinator/inspect-store.ts';
import { byteText, grouped } from '../text/number-text.ts';
import { visibleJson } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { type Io, noticeOn, pathIn } from './io.ts';

interface BackupFlags {
  readonly data?: string;
  readonly database?: string;
  readonly out: string;
  readonly json?: boolean;
}

/** A copy of more bytes takes longer than a second, and is announced. */
const LONG_BYTES = 100e6;

/** `suffice backup`: one file with everything that a coordinator needs to go on. */
export function addBackupCommand(program: Command, io: Io): void {
  const asPath = pathIn(io);
  program
    .command('backup')
    .description('copy a coordinator’s store to one file while it runs, and check the copy')
    .option('--data <folder>', 'folder of the store (default: suffice-data)', asPath)
    .option('--database <url>', 'a PostgreSQL database: prints the command that copies it')
    .requiredOption('--out <file>', 'the copy; must not exist', asPath)
    .option('--json', 'print JSON')
    .action((flags) => runBackup(flags, io));
}

async function runBackup(flags: BackupFlags, io: Io): Promise<void> {
  const inEnvironment = flags.data === undefined && Boolean(io.env.SUFFICE_DATABASE);
  if (flags.database !== undefined || inEnvironment) refusePostgres(flags.out);
  const data = flags.data ?? pathIn(io)('suffice-data');
  const { statSync } = await import('node:fs');
  const size = statSync(`${data}/suffice.db`, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LONG_BYTES) noticeOn(io)(`copying and checking ${byteText(size)} …`);
  const { backUp } = await import('../node/operate/backup.ts');
  const backup = await backUp(data, flags.out);
  if (flags.json === true) {
    const answer = { schema: 'suffice/backup@1', ...backup };
    io.stdout.write(`${visibleJson(JSON.stringify(answer, null, 2))}\n`);
    return;
  }
  io.stdout.write(
    [
      `${flags.out} is a copy of ${data}: ${byteText(backup.bytes)}, checked`,
      ...contentLines(backup.contents),
      '',
      `It holds the coordinator’s key${backup.hasToken ? ' and the operator’s token' : ''}: keep it encrypted.`,
      `The record of releases (${data}.releases) is not in it, and must never be put back from an old copy.`,
      '',
    ].join('\n'),
  );
}

/** What a store holds, a line each. */
export function contentLines(contents: StoreContents): readonly string[] {
  const { studies, sites, contributions, bytes, resolutions, logEntries, tables } = contents;
  const count = Object.values(studies).reduce((sum, n) => sum + n, 0);
  const states = Object.entries(studies).map(([state, n]) => `${n} ${state}`);
  return [
    `  studies        ${grouped(count)}${count === 0 ? '' : ` (${states.join(', ')})`}, ${grouped(sites)} sites`,
    `  contributions  ${grouped(contributions)}, ${byteText(bytes)}, every digest holds`,
    `  resolutions    ${grouped(resolutions)}, every seal holds`,
    `  log entries    ${grouped(logEntries)}, every chain holds`,
    `  tables         version ${tables}`,
  ];
}

function refusePostgres(out: string): never {
  throw new UsageError(
    'PostgreSQL makes its own backups',
    `with the address in SUFFICE_DATABASE: (umask 077; pg_dump --format=custom --file=${out} "$SUFFICE_DATABASE"); to put it back into an empty database: pg_restore --no-owner --single-transaction --dbname="$SUFFICE_DATABASE" ${out}`,
  );
}
