import { readFileSync } from 'node:fs';
import type { ConnectionOptions, SslOptions } from 'mysql2';
import { UsageError } from '../../usage-error.ts';
import { databaseEnvironment, statedPassword } from './credentials.ts';

const CONNECT_MILLISECONDS = 15_000;

/** What a connection is opened with, from an address and the environment. */
export function optionsOf(place: string): ConnectionOptions {
  const url = place.replace(/^mariadb:/, 'mysql:');
  if (!URL.canParse(url)) {
    throw new UsageError(`${place} is no address`, 'mysql://user@host:3306/database#table');
  }
  const { hostname, port, pathname, username, searchParams } = new URL(url);
  const host = decodeURIComponent(hostname).replace(/^\[(.*)\]$/, '$1') || 'localhost';
  const socket = searchParams.get('socket');
  const ssl = socket === null ? tlsOf(host, searchParams) : undefined;
  const { MYSQL_PWD } = databaseEnvironment();
  const password = statedPassword() ?? (MYSQL_PWD || undefined);
  return {
    ...(socket === null ? { host, port: Number(port || 3306) } : { socketPath: socket }),
    user: decodeURIComponent(username),
    database: decodeURIComponent(pathname.slice(1)),
    ...(password === undefined ? {} : { password }),
    ...(ssl === undefined ? {} : { ssl }),
    charset: 'utf8mb4',
    connectTimeout: CONNECT_MILLISECONDS,
    rowsAsArray: true,
    // The server cannot ask for files of this machine.
    flags: ['-LOCAL_FILES'],
    // Cells as the server writes them.
    typeCast: (field) => field.string(),
  };
}

/** As clients of MySQL: DISABLED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY, which is usual to another machine. */
function tlsOf(host: string, parameters: URLSearchParams): SslOptions | undefined {
  const isHere = host === 'localhost' || host === '::1' || /^127\./.test(host);
  const mode = (
    parameters.get('ssl-mode') ?? (isHere ? 'DISABLED' : 'VERIFY_IDENTITY')
  ).toUpperCase();
  const path = parameters.get('ssl-ca');
  const authority = path === null ? {} : { ca: authorityIn(path) };
  const modes: Readonly<Record<string, SslOptions | null>> = {
    DISABLED: null,
    REQUIRED: { ...authority, rejectUnauthorized: path !== null },
    VERIFY_CA: authority,
    VERIFY_IDENTITY: { ...authority, verifyIdentity: true } as SslOptions,
  };
  const found = modes[mode];
  if (found !== undefined) return found ?? undefined;
  throw new UsageError(
    `ssl-mode=${mode} is not known`,
    `say one of ${Object.keys(modes).join(', ')}`,
  );
}

function authorityIn(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new UsageError(`the file ${path} of ssl-ca cannot be read`, 'check the path');
  }
}
