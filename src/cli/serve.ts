import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { type Command, Option } from 'commander';
import { defined } from '../defined.ts';
import type { LogForm } from '../node/server/request-log.ts';
import type { Served, ServeOptions } from '../node/server/serve.ts';
import { visibleJson } from '../text/visible-text.ts';
import { UsageError } from '../usage-error.ts';
import { CommandEnd, exitCode, type Io, pathIn, untilSignal } from './io.ts';
import { inkFor } from './terminal-text.ts';

interface ServeFlags {
  readonly data?: string;
  readonly database?: string;
  readonly port: string;
  readonly host: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly publicUrl?: string;
  readonly behindProxy?: boolean;
  readonly insecure?: boolean;
  readonly adminTokenFile?: string;
  readonly releases?: string;
  readonly log?: LogForm;
  readonly json?: boolean;
}

/** `suffice serve`: a coordinator that sites can reach. */
export function addServeCommand(program: Command, io: Io): void {
  const asPath = pathIn(io);
  program
    .command('serve')
    .description('run a coordinator: it collects contributions and resolves studies')
    .option('--data <folder>', 'folder of the embedded store (default: suffice-data)', asPath)
    .option(
      '--database <url>',
      'a PostgreSQL database instead, as postgres://…; SUFFICE_DATABASE is safer: other users cannot read it',
    )
    .option('--port <n>', 'port to listen on; 0 for any that is free', '7700')
    .option('--host <address>', 'address to listen on; 0.0.0.0 for all', '127.0.0.1')
    .option('--tls-cert <file>', 'certificate chain in PEM', asPath)
    .option('--tls-key <file>', 'its private key in PEM', asPath)
    .option('--public-url <url>', 'address that clients use, if there is a proxy')
    .option(
      '--behind-proxy',
      'take client addresses from the proxy (X-Forwarded-For), for rate limits',
    )
    .option(
      '--insecure',
      'listen beyond this machine without TLS: tokens and contributions can be read on the way',
    )
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
    .addOption(
      new Option('--log <form>', 'log on stderr; text on a terminal, json elsewhere').choices([
        'text',
        'json',
        'none',
      ]),
    )
    .option('--json', 'print one line of JSON when ready')
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
  const { tlsCert, tlsKey, publicUrl, adminTokenFile, host } = flags;
  if (flags.data !== undefined && flags.database !== undefined) {
    throw new UsageError('--data and --database exclude each other', 'leave out one of them');
  }
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new UsageError('--tls-cert and --tls-key go together', 'give both or neither');
  }
  if (isOpenWithoutTls(flags) && flags.insecure !== true) {
    throw new UsageError(
      `--host ${host} is reached from other machines, without TLS: tokens and contributions could be read on the way`,
      'give --tls-cert and --tls-key; or, with a TLS proxy before it, --public-url https://… or --behind-proxy; or --insecure in a network that you trust',
    );
  }
  if (publicUrl !== undefined && !/^https?:\/\/[^/?#]/.test(publicUrl)) {
    throw new UsageError('--public-url must start with https://', 'such as https://study.example');
  }
  const environment = flags.data === undefined ? io.env.SUFFICE_DATABASE || undefined : undefined;
  const database = flags.database ?? environment;
  if (database !== undefined && !/^postgres(ql)?:\/\//.test(database)) {
    throw new UsageError('the database must start with postgres://', 'check its address');
  }
  const token = io.env.SUFFICE_ADMIN_TOKEN || undefined;
  return {
    port: portOf(flags.port),
    host,
    log: flags.log ?? (io.stderr.isTTY ? 'text' : 'json'),
    writeLog: io.stderr,
    ...(database === undefined ? { data: flags.data ?? pathIn(io)('suffice-data') } : { database }),
    ...(tlsCert === undefined || tlsKey === undefined
      ? {}
      : { tls: { cert: tlsCert, key: tlsKey } }),
    ...defined({ publicUrl, releases: flags.releases }),
    ...(flags.behindProxy === true ? { addressFrom: 'proxy' } : {}),
    ...defined({ operatorToken: token, operatorTokenFile: adminTokenFile }),
  };
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new UsageError(`--port must be a number from 0 to 65535: ${text}`, 'try --port 7700');
}

function isOpenWithoutTls({ host, tlsCert, publicUrl, behindProxy }: ServeFlags): boolean {
  const loopback = host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
  const proxied = behindProxy === true || publicUrl?.startsWith('https:') === true;
  return !loopback && !proxied && tlsCert === undefined;
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

/** Stops in good order; a second signal ends the command at once. */
async function stopUnlessSignalled(served: Served, io: Io): Promise<void> {
  const second = untilSignal(io).then(() => {
    throw new CommandEnd(exitCode.unexpected);
  });
  await Promise.race([served.stop(), second]);
}
