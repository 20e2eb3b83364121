import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Command } from 'commander';
import { defined } from '../defined.ts';
import type { Served, ServeOptions } from '../node/server/serve.ts';
import { visibleJson } from '../text/visible-text.ts';
import { type Io, pathIn, untilSignal } from './io.ts';
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
}

const DATA = 'suffice-data';

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
    .action((flags) => runServe(flags, io));
}

async function runServe(flags: ServeFlags, io: Io): Promise<void> {
  const options = serveOptions(flags, io);
  io.surviveLostOutput?.();
  const { serve } = await import('../node/server/serve.ts');
  const served = await serve(options);
  const address = flags.publicUrl ?? served.address;
  const signalled = untilSignal(io); // listens before anybody knows that it is ready
  io.stdout.write(
    flags.json === true
      ? readyJson(address, served, options)
      : readyText(address, served, options, io),
  );
  await signalled;
  await stopUnlessSignalled(served, io);
}

function serveOptions(flags: ServeFlags, io: Io): ServeOptions {
  const { releases, adminTokenFile } = flags;
  const operatorToken = io.env.SUFFICE_ADMIN_TOKEN || undefined;
  return {
    ...serverOptions(flags, io, DATA),
    ...defined({ releases, operatorToken, operatorTokenFile: adminTokenFile }),
  };
}

function readyJson(address: string, { operatorTokenFile }: Served, options: ServeOptions): string {
  const ready = {
    schema: 'suffice/serving@1',
    address,
    store: options.database === undefined ? 'sqlite' : 'postgres',
    ...defined({ data: options.data }),
    ...defined({ adminTokenFile: operatorTokenFile }),
  };
  return `${visibleJson(JSON.stringify(ready))}\n`;
}

function readyText(address: string, served: Served, options: ServeOptions, io: Io): string {
  const { operatorTokenFile } = served;
  const { bold } = inkFor(io);
  const file = operatorTokenFile === undefined ? undefined : shortPath(operatorTokenFile, io);
  const tokenFlag = file === undefined ? '' : ` --token-file ${file}`;
  return [
    '',
    `${bold('Suffice coordinator')}  ${address}`,
    `data         ${options.data ?? 'PostgreSQL'}`,
    `admin token  ${file ?? (options.operatorToken === undefined ? 'made before, on this store' : 'from SUFFICE_ADMIN_TOKEN')}`,
    '',
    ...browserLines(address, served, io),
    '',
    'Or in another terminal:',
    `  suffice study create STUDY.json --coordinator ${address}${tokenFlag} --site NAME --site NAME`,
    '',
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
