import { DataError } from '../../data-error.ts';
import { FailureError } from '../../failure.ts';
import type { Option } from '../../option.ts';
import { UsageError } from '../../usage-error.ts';

type Refusal = readonly [
  kind: FailureError['kind'],
  problem: string,
  remedy: string,
  option?: Option,
];

const noPermission: Refusal = [
  'policy',
  'the user has no permission to read these rows',
  'ask the administrator: GRANT SELECT on the table or view, or on its columns',
];
const ended: Refusal = [
  'network',
  'the server ended the query: it took longer than max_statement_time, or an administrator stopped it',
  'ask for a longer max_statement_time for this user, or read fewer rows',
];
const lost: Refusal = [
  'network',
  'the connection to the database was lost',
  'nothing was sent; run the same command again',
];
const unknownHost: Refusal = [
  'network',
  'no such host',
  'check the name of the host in the address',
];
const untrusted: Refusal = [
  'network',
  'the certificate of the database cannot be trusted',
  'give its certificate authority as ssl-ca=FILE; where the network between is safe, say ssl-mode=DISABLED in the address',
];

/** Refusals by the number that the server gives an error, or the name that the network does. */
const named: Readonly<Record<string, Refusal>> = {
  1045: [
    'policy',
    'the database does not accept the user or the password',
    'give the password in a file, or in SUFFICE_DB_PASSWORD or MYSQL_PWD',
    { name: 'password-file' },
  ],
  1698: [
    'policy',
    'the database does not accept the user or the password',
    'give the password in a file, or in SUFFICE_DB_PASSWORD or MYSQL_PWD',
    { name: 'password-file' },
  ],
  1044: [
    'policy',
    'the user may not open this database',
    'ask the administrator: GRANT SELECT on the table or view',
  ],
  1049: ['data', 'no such database on this server', 'check the name before # in the address'],
  1142: noPermission,
  1143: noPermission,
  1227: noPermission,
  1356: noPermission,
  1370: noPermission,
  1290: ['policy', 'the select would write, and it may only read', 'give a select that only reads'],
  1792: [
    'policy',
    'the select would write, and it runs in a read-only transaction',
    'give a select that only reads',
  ],
  1040: ['network', 'the server has no free connection', 'try again later'],
  1203: ['network', 'the server has no free connection', 'try again later'],
  1028: ended,
  1317: ended,
  1969: ended,
  3024: ended,
  1053: lost,
  1927: lost,
  PROTOCOL_CONNECTION_LOST: lost,
  ECONNRESET: lost,
  EPIPE: lost,
  ETIMEDOUT: lost,
  ENOTFOUND: unknownHost,
  EAI_AGAIN: unknownHost,
  ECONNREFUSED: [
    'network',
    'no MySQL or MariaDB answers there',
    'check host and port (3306), and whether the server runs',
  ],
  HANDSHAKE_NO_SSL_SUPPORT: [
    'network',
    'the database does not offer TLS, which the address asks for or another machine needs',
    'set up TLS at the database; where the network between is safe, say ssl-mode=DISABLED in the address',
  ],
  HANDSHAKE_SSL_ERROR: untrusted,
  AUTH_SWITCH_PLUGIN_ERROR: [
    'policy',
    'the user has a way to log in that is not known here',
    'ask the administrator for a user with caching_sha2_password or mysql_native_password',
  ],
};

/** Errors of the text of a query: syntax, and names of columns and tables. */
const TEXT_ERRORS: readonly number[] = [1052, 1054, 1060, 1064, 1146, 1149, 1248, 1305];

/** The refusal for an error of MySQL or MariaDB. It quotes only errors of the query's own text: others may contain cells. */
export function mysqlRefusal(error: unknown, address: string): FailureError {
  if (error instanceof FailureError) return error;
  const { errno, code, message } = error as { errno?: unknown; code?: unknown; message?: unknown };
  const place = { file: address };
  const known = named[String(errno)] ?? named[String(code)];
  if (known !== undefined) {
    const [kind, problem, remedy, option] = known;
    return new FailureError(kind, { problem, remedy, place, ...(option && { option }) });
  }
  if (/CERT|SELF_SIGNED|ERR_TLS|UNABLE_TO_/.test(String(code))) {
    const [kind, problem, remedy] = untrusted;
    return new FailureError(kind, { problem: `${problem} (${code})`, remedy, place });
  }
  if (/closed state|Connection lost/i.test(String(message))) {
    const [kind, problem, remedy] = lost;
    return new FailureError(kind, { problem, remedy, place });
  }
  if (TEXT_ERRORS.includes(Number(errno))) {
    return new UsageError(
      `${address}: the server does not understand the rows after #: ${message}`,
      'correct the table or the select',
    );
  }
  return new DataError(
    `the server could not read the rows (${String(errno ?? code ?? 'no code')})`,
    place,
    'run the select in the client of the database to see why; its message may contain cells, so it is not shown here',
  );
}

/** The oldest servers whose snapshots and types are tried, or that have what they need. */
const OLDEST = { MariaDB: [10, 2], MySQL: [8, 0] } as const;

/** The server by its version text, such as `10.11.6-MariaDB`; refuses one that is too old. */
export function serverOf(version: string, address: string): keyof typeof OLDEST {
  const name = /mariadb/i.test(version) ? 'MariaDB' : 'MySQL';
  // MariaDB may write 5.5.5- before its version, for old clients.
  const [major = 0, minor = 0] = version
    .replace(/^5\.5\.5-(?=10|11)/, '')
    .split('.')
    .map((part) => Number.parseInt(part, 10));
  const [least, after] = OLDEST[name];
  if (major > least || (major === least && minor >= after)) return name;
  throw new DataError(
    `the server is ${name} ${major}.${minor}`,
    { file: address },
    `${name} ${least}.${after} or later is needed; or export the table as CSV and give that file`,
  );
}
