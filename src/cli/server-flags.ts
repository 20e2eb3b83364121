import { type Command, Option } from 'commander';
import { defined } from '../defined.ts';
import { openLogFile } from '../node/server/log-file.ts';
import type { LogSink } from '../node/server/log-writer.ts';
import type { LogForm } from '../node/server/request-log.ts';
import type { ServeOptions } from '../node/server/serve.ts';
import { UsageError } from '../usage-error.ts';
import { CommandEnd, exitCode, type Io, pathIn, untilSignal } from './io.ts';

/** Flags of every server: where it keeps its data, and how it is reached. */
export interface ServerFlags {
  readonly data?: string;
  readonly database?: string;
  readonly port: string;
  readonly host: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly publicUrl?: string;
  readonly behindProxy?: boolean;
  readonly insecure?: boolean;
  readonly log?: LogForm;
  readonly logFile?: string;
  readonly json?: boolean;
}

/** Adds the flags of a server that keeps its data in this folder and listens on this port, unless others are given. */
export function withServerFlags(
  command: Command,
  io: Io,
  { folder, port }: { readonly folder: string; readonly port: string },
): Command {
  const asPath = pathIn(io);
  return command
    .option('--data <folder>', `folder of the embedded store (default: ${folder})`, asPath)
    .option(
      '--database <url>',
      'a PostgreSQL database instead, as postgres://…; SUFFICE_DATABASE is safer: other users cannot read it',
    )
    .option('--port <n>', 'port to listen on; 0 for any that is free', port)
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
    .addOption(
      new Option('--log <form>', 'log on stderr; text on a terminal, json elsewhere').choices([
        'text',
        'json',
        'none',
      ]),
    )
    .option(
      '--log-file <file>',
      'log to a file instead; SIGHUP opens it again after it was moved away',
      asPath,
    )
    .option('--json', 'print one line of JSON when ready');
}

/** What the flags of every server say; refuses a combination that cannot be meant. */
export function serverOptions(
  flags: ServerFlags,
  io: Io,
  folder: string,
): Pick<
  ServeOptions,
  'port' | 'host' | 'log' | 'writeLog' | 'data' | 'database' | 'tls' | 'publicUrl' | 'addressFrom'
> {
  const { tlsCert, tlsKey, publicUrl, host } = flags;
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
  return {
    port: portOf(flags.port),
    host,
    log: flags.log ?? (flags.logFile === undefined && io.stderr.isTTY ? 'text' : 'json'),
    writeLog: logSink(flags.logFile, io),
    ...(database === undefined ? { data: flags.data ?? pathIn(io)(folder) } : { database }),
    ...(tlsCert === undefined || tlsKey === undefined
      ? {}
      : { tls: { cert: tlsCert, key: tlsKey } }),
    ...defined({ publicUrl }),
    ...(flags.behindProxy === true ? { addressFrom: 'proxy' } : {}),
  };
}

/** The log's file, which is opened again at SIGHUP; stderr unless given. */
function logSink(path: string | undefined, io: Io): LogSink {
  if (path === undefined) return io.stderr;
  const file = openLogFile(path);
  io.onSignal('SIGHUP', () => file.reopen());
  return file;
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65535) return port;
  throw new UsageError(`--port must be a number from 0 to 65535: ${text}`, 'try --port 7700');
}

function isOpenWithoutTls({ host, tlsCert, publicUrl, behindProxy }: ServerFlags): boolean {
  const loopback = host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
  const proxied = behindProxy === true || publicUrl?.startsWith('https:') === true;
  return !loopback && !proxied && tlsCert === undefined;
}

/** Stops in good order; a second signal ends the command at once. */
export async function stopUnlessSignalled(
  served: { readonly stop: () => Promise<void> },
  io: Io,
): Promise<void> {
  const second = untilSignal(io).then(() => {
    throw new CommandEnd(exitCode.unexpected);
  });
  await Promise.race([served.stop(), second]);
}
