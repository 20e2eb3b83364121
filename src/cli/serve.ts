import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Command } from 'commander';
import { defined } from '../defined.ts';
import type { Served, ServeOptions } from '../node/server/serve.ts';
import type { ParentStudy } from '../study/study.ts';
import { visibleJson } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { type Io, noticeOn, pathIn, untilSignal } from './io.ts';
import { parentText, parentToServe } from './serve-parent.ts';
import {
  type ServerFlags,
  serverOptions,
  stopUnlessSignalled,
  withServerFlags,
} from './server-flags.ts';
import { inkFor } from './terminal-text.ts';

interface ServeFlags extends ServerFlags {
  readonly adminTokenFile?: string;
  readonly releases?: string;
  readonly parent?: string;
  readonly upgradeCopy: boolean;
  readonly keepContributions?: number;
}

const DATA = 'suffice-data';
const MOST_DAYS = 100_000;

/** `suffice serve`: a coordinator that sites can reach. */
export function addServeCommand(program: Command, io: Io): void {
  const asPath = pathIn(io);
  const serve = program
    .command('serve')
    .description('run a coordinator: it collects contributions and resolves studies');
  withServerFlags(serve, io, { folder: DATA, port: '7700' })
    .option(
      '--admin-token-file <file>',
      'file of the operator’s token, made if absent; or set SUFFICE_ADMIN_TOKEN',
      asPath,
    )
    .option(
      '--releases <file>',
      'file that remembers what private studies published; not part of a backup (default: beside the folder)',
      asPath,
    )
    .option(
      '--parent <invitation>',
      'file with an invitation to a study above: says how to take part in it as a region',
    )
    .option(
      '--keep-contributions <days>',
      'erase contributions this number of days after their study has ended; reports and logs stay',
      wholeDays,
    )
    .option(
      '--no-upgrade-copy',
      'do not copy a SQLite store of an earlier version before its tables are upgraded: you have a backup',
    )
    .action((flags) => runServe(flags, io));
}

async function runServe(flags: ServeFlags, io: Io): Promise<void> {
  const options = serveOptions(flags, io);
  io.surviveLostOutput?.();
  const { serve } = await import('../node/server/serve.ts');
  const served = await serve(options);
  const address = flags.publicUrl ?? served.address;
  const parent = await parentOf(flags, served, io);
  const signalled = untilSignal(io); // listens before anybody knows that it is ready
  io.stdout.write(
    flags.json === true
      ? readyJson(address, served, options, parent)
      : readyText(address, served, options, io, flags, parent),
  );
  await signalled;
  await stopUnlessSignalled(served, io);
}

/** The study above, where the coordinator is to be a region; a refusal stops the server. */
async function parentOf(
  { parent }: ServeFlags,
  served: Served,
  io: Io,
): Promise<ParentStudy | undefined> {
  if (parent === undefined) return undefined;
  try {
    return await parentToServe(parent, served.coordinator.key, io);
  } catch (failure) {
    await served.stop();
    throw failure;
  }
}

function serveOptions(flags: ServeFlags, io: Io): ServeOptions {
  const { releases, adminTokenFile } = flags;
  const operatorToken = io.env.SUFFICE_ADMIN_TOKEN || undefined;
  return {
    ...serverOptions(flags, io, DATA),
    ...(flags.upgradeCopy ? {} : { upgradeCopy: 'skip' }),
    onUpgrade: ({ from, to, copy }) =>
      noticeOn(io)(
        `the tables of the store were upgraded from version ${from} to ${to}; ${copy === undefined ? 'no copy was made' : `the store as it was is in ${copy}: delete it when all is well`}`,
      ),
    ...defined({ keepDays: flags.keepContributions }),
    ...defined({ releases, operatorToken, operatorTokenFile: adminTokenFile }),
  };
}

function wholeDays(text: string): number {
  const days = Number(text);
  if (/^\d+$/.test(text) && days >= 1 && days <= MOST_DAYS) return days;
  throw new UsageError(
    `--keep-contributions must be a whole number of days, at least 1: ${text}`,
    'try --keep-contributions 90',
  );
}

function readyJson(
  address: string,
  { operatorTokenFile, coordinator, storeIsNew }: Served,
  options: ServeOptions,
  parent: ParentStudy | undefined,
): string {
  const ready = {
    schema: 'suffice/serving@1',
    address,
    store: options.database === undefined ? 'sqlite' : 'postgres',
    key: coordinator.key,
    ...defined({ data: options.data, newStore: storeIsNew || undefined }),
    ...defined({ adminTokenFile: operatorTokenFile, parent }),
  };
  return `${visibleJson(JSON.stringify(ready))}\n`;
}

function readyText(
  address: string,
  served: Served,
  options: ServeOptions,
  io: Io,
  flags: ServeFlags,
  parent: ParentStudy | undefined,
): string {
  const { operatorTokenFile } = served;
  const { bold } = inkFor(io);
  const file = operatorTokenFile === undefined ? undefined : shortPath(operatorTokenFile, io);
  const tokenFlag = file === undefined ? '' : ` --token-file ${file}`;
  const create = `suffice study create STUDY.json --coordinator ${address}${tokenFlag} --site NAME --site NAME`;
  return [
    '',
    `${bold('Suffice coordinator')}  ${address}`,
    `data         ${options.data ?? 'PostgreSQL'}${served.storeIsNew ? ' (a new store: it has no study yet)' : ''}`,
    `admin token  ${file ?? (options.operatorToken === undefined ? 'made before, on this store' : 'from SUFFICE_ADMIN_TOKEN')}`,
    `key          ${served.coordinator.key}`,
    '',
    ...browserLines(address, served, io),
    '',
    'Or in another terminal:',
    `  ${create}`,
    '',
    ...(flags.parent === undefined ? [] : parentText(parent, flags.parent, create)),
    'Ctrl-C stops it.',
    '',
    '',
  ].join('\n');
}

/**
 * Where a browser finds the studies. The link with the operator's secret is for the eyes before a
 * terminal; what goes to a file or a log gets none.
 */
function browserLines(address: string, { operatorTokenFile }: Served, io: Io): readonly string[] {
  const page = `${address.replace(/\/+$/, '')}/`;
  if (operatorTokenFile === undefined) {
    return ['Open in a browser, with the admin token behind #:', `  ${page}`];
  }
  if (io.stdout.isTTY) {
    const token = readFileSync(operatorTokenFile, 'utf8').trim();
    return [
      'Open in a browser (the link holds the admin token, keep it to yourself):',
      `  ${page}#${token}`,
    ];
  }
  return [
    `Open in a browser, with the admin token from ${shortPath(operatorTokenFile, io)} behind #:`,
    `  ${page}`,
  ];
}

/** Relative to the current folder, unless it lies outside. */
function shortPath(path: string, io: Io): string {
  const short = relative(io.cwd ?? '.', path);
  return short.startsWith('..') ? path : short;
}
