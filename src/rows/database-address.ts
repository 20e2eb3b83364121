import { UsageError } from '../usage-error.ts';

/** Rows of a database: a table, by its name in parts (`schema.table`), or one select. */
export type DatabaseRows = { readonly table: readonly string[] } | { readonly select: string };

/** The address of rows in a database, such as postgres://user@host:port/database#table. */
export interface DatabaseAddress {
  /** The whole address, as messages show it. It has no password. */
  readonly text: string;
  /** The engine: `postgres`, `duckdb`, `clickhouse`, `mysql`. */
  readonly scheme: string;
  /** The address of the server or the file, without the rows. */
  readonly place: string;
  readonly rows: DatabaseRows;
}

const SCHEMES: Readonly<Record<string, string>> = {
  postgres: 'postgres',
  postgresql: 'postgres',
  duckdb: 'duckdb',
  clickhouse: 'clickhouse',
  mysql: 'mysql',
  mariadb: 'mysql',
};

const SCHEME = /^([a-z]+):/;
/** A name, a colon and something else than a port, before an @; or a parameter. */
const PASSWORD =
  /^[a-z]+:\/\/[^/?#@:]*:(?!\d*(?:[/?#]|$))[^@]*@|^[^#]*[?&](sslpassword|password|pass)=/i;
const SELECT = /^\s*(select|with)\s/i;

/** Whether a path is the address of rows in a database. */
export function isDatabaseAddress(path: string): boolean {
  return Object.hasOwn(SCHEMES, SCHEME.exec(path)?.[1] ?? '');
}

/** Reads an address. Refuses one with a password: other users see a command line, and histories and logs keep it. */
export function databaseAddress(path: string): DatabaseAddress {
  const scheme = SCHEMES[SCHEME.exec(path)?.[1] ?? '']!;
  const cut = path.indexOf('#');
  const place = cut < 0 ? path : path.slice(0, cut);
  const rows = cut < 0 ? '' : path.slice(cut + 1).trim();
  const isSelect = SELECT.test(rows);
  // A password with # in it leaves an @ in what would be the table.
  if (PASSWORD.test(path) || (!isSelect && /^[^"]*@/.test(rows))) {
    throw new UsageError(
      `the ${scheme} address has a password in it`,
      'leave the password out: give it in a file, or in the environment as SUFFICE_DB_PASSWORD',
      { name: 'password-file' },
    );
  }
  if (rows === '') {
    throw new UsageError(
      `${place} names no table`,
      `write the table after #, as in ${place}#patients, or one select`,
    );
  }
  const select = rows.replace(/;\s*$/, '');
  return {
    text: path,
    scheme,
    place,
    rows: isSelect ? { select } : { table: namesIn(rows, path) },
  };
}

/** The parts of a name: `a.b` is two, `"a.b"` is one. */
function namesIn(text: string, path: string): string[] {
  const parts = text.match(/"(?:[^"]|"")+"|[^".]+/g) ?? [];
  const again = parts.join('.');
  if (again !== text || parts.length > 3) {
    throw new UsageError(
      `${path} does not name a table`,
      'write #table, #schema.table, or a select; quote a part with a point or a quote in it, as in "a.b"',
    );
  }
  return parts.map((part) =>
    part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part,
  );
}

/** The name of the rows: that of the table, or `query`. */
export function nameOfRows(path: string): string {
  const rows = path.slice(path.indexOf('#') + 1).trim();
  if (!path.includes('#') || SELECT.test(rows)) return 'query';
  return (
    rows
      .match(/"(?:[^"]|"")+"|[^".]+/g)
      ?.at(-1)
      ?.replaceAll('"', '') ?? 'query'
  );
}
