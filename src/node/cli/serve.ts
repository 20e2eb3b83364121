import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { type Command, Option } from 'commander';
import type { LogForm } from '../request-log.ts';
import type { Served, ServeOptions } from '../serve.ts';
import { UsageError } from '../usage-error.ts';
import { exitCode } from './failure.ts';
import { inkFor } from './ink.ts';

interface ServeFlags {
  readonly data?: string;
  readonly database?: string;
  readonly port: string;
  readonly host: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly publicUrl?: string;
  readonly behindProxy?: boolean;
  readonly adminTokenFile?: string;
  readonly log?: LogForm;
  readonly json?: boolean;
}

/** `suffice serve`: a coordinator that sites can reach. */
export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('run a coordinator: it collects contributions and resolves studies')
    .option('--data <folder>', 'folder of the embedded store (default: suffice-data)')
    .option(
      '--database <url>',
      'a PostgreSQL database instead, as postgres://…; better in SUFFICE_DATABASE, which others cannot see',
    )
    .option('--port <n>', 'port to listen on; 0 for any that is free', '7700')
    .option('--host <address>', 'address to listen on; 0.0.0.0 for all', '127.0.0.1')
    .option('--tls-cert <file>', 'certificate chain in PEM')
    .option('--tls-key <file>', 'its private key in PEM')
    .option('--public-url <url>', 'address clients use, where a proxy stands before it')
    .option('--behind-proxy', 'clients are who the proxy says (X-Forwarded-For), for rate limits')
    .option(
      '--admin-token-file <file>',
      'file of the operator’s token, made where there is none; or set SUFFICE_ADMIN_TOKEN',
    )
    .addOption(
      new Option('--log <form>', 'log on stderr; text on a terminal, json elsewhere').choices([
        'text',
        'json',
        'none',
      ]),
    )
    .option('--json', 'print one line of JSON when ready')
    .action(runServe);
}

async function runServe(flags: ServeFlags): Promise<void> {
  const options = serveOptions(flags);
  const { serve } = await import('../serve.ts');
  const served = await serve(options);
  const address = flags.publicUrl ?? served.address;
  if (isOpenWithoutTls(flags)) {
    process.stderr.write(
      'suffice: listening beyond this machine without TLS: tokens and contributions can be read on the way\n' +
        '  → give --tls-cert and --tls-key, or put a proxy with TLS before it and say --public-url https://…\n',
    );
  }
  process.stdout.write(
    flags.json === true ? readyJson(address, served, options) : readyText(address, served, options),
  );
  await untilStopped(served);
}

function serveOptions(flags: ServeFlags): ServeOptions {
  const { data, tlsCert, tlsKey, publicUrl, adminTokenFile, host } = flags;
  if (data !== undefined && flags.database !== undefined) {
    throw new UsageError('--data and --database exclude each other', 'leave out one of them');
  }
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new UsageError('--tls-cert and --tls-key go together', 'give both or neither');
  }
  if (publicUrl !== undefined && !/^https?:\/\/[^/?#]/.test(publicUrl)) {
    throw new UsageError('--public-url must start with https://', 'such as https://study.example');
  }
  const environment = data === undefined ? process.env.SUFFICE_DATABASE || undefined : undefined;
  const database = flags.database ?? environment;
  if (database !== undefined && !/^postgres(ql)?:\/\//.test(database)) {
    throw new UsageError('the database must start with postgres://', 'check its address');
  }
  const token = process.env.SUFFICE_ADMIN_TOKEN || undefined;
  return {
    port: portOf(flags.port),
    host,
    log: flags.log ?? (process.stderr.isTTY ? 'text' : 'json'),
    ...(data === undefined ? {} : { data }),
    ...(database === undefined ? {} : { database }),
    ...(tlsCert === undefined || tlsKey === undefined
      ? {}
      : { tls: { cert: tlsCert, key: tlsKey } }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(flags.behindProxy === true ? { addressFrom: 'proxy' } : {}),
    ...(token === undefined ? {} : { operatorToken: token }),
    ...(adminTokenFile === undefined ? {} : { operatorTokenFile: adminTokenFile }),
  };
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new UsageError(`--port must be a number from 0 to 65535: ${text}`, 'try --port 7700');
}

function isOpenWithoutTls({ host, tlsCert, publicUrl }: ServeFlags): boolean {
  const loopback = host === 'localhost' || host === '::1' || host.startsWith('127.');
  return !loopback && tlsCert === undefined && publicUrl?.startsWith('https:') !== true;
}

function readyJson(address: string, { operatorTokenFile }: Served, options: ServeOptions): string {
  const ready = {
    schema: 'suffice/serving@1',
    address,
    store: options.database === undefined ? 'sqlite' : 'postgres',
    ...(options.database === undefined ? { data: options.data ?? 'suffice-data' } : {}),
    ...(operatorTokenFile === undefined ? {} : { adminTokenFile: operatorTokenFile }),
  };
  return `${JSON.stringify(ready)}\n`;
}

function readyText(address: string, served: Served, options: ServeOptions): string {
  const { operatorTokenFile } = served;
  const { bold } = inkFor(process.stdout);
  const file = operatorTokenFile === undefined ? undefined : shortPath(operatorTokenFile);
  const tokenFlag = file === undefined ? '' : ` --token-file ${file}`;
  return [
    '',
    `${bold('Suffice coordinator')}  ${address}`,
    `data         ${options.database === undefined ? (options.data ?? 'suffice-data') : 'PostgreSQL'}`,
    `admin token  ${file ?? (options.operatorToken === undefined ? 'made before, on this store' : 'from SUFFICE_ADMIN_TOKEN')}`,
    '',
    ...browserLines(address, served),
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
function browserLines(address: string, { operatorTokenFile }: Served): readonly string[] {
  const page = `${address.replace(/\/+$/, '')}/`;
  if (operatorTokenFile === undefined) {
    return ['Open in a browser, with the admin token behind #:', `  ${page}`];
  }
  if (process.stdout.isTTY) {
    const token = readFileSync(operatorTokenFile, 'utf8').trim();
    return [
      'Open in a browser (the link holds the admin token, keep it to yourself):',
      `  ${page}#${token}`,
    ];
  }
  return [
    `Open in a browser, with the admin token from ${shortPath(operatorTokenFile)} behind #:`,
    `  ${page}`,
  ];
}

/** As seen from here, unless that leads upwards. */
function shortPath(path: string): string {
  const short = relative('.', path);
  return short.startsWith('..') ? path : short;
}

/** Waits for SIGTERM or SIGINT and stops in good order; a second signal ends the process at once. */
async function untilStopped(served: Served): Promise<void> {
  await new Promise<void>((resolve) => {
    let asked = false;
    const stop = (): void => {
      if (asked) process.exit(exitCode.unexpected);
      asked = true;
      resolve();
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
  await served.stop();
  process.exit(exitCode.ok);
}
