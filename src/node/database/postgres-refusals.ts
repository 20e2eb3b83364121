import { DataError } from '../../data-error.ts';
import { FailureError } from '../../failure.ts';
import { UsageError } from '../../usage-error.ts';
import { tlsFailure } from '../store/postgres-tls.ts';

/** Problem, remedy and kind of what a server or a network answers, by its code. */
const named: Readonly<
  Record<string, readonly [FailureError['kind'], problem: string, remedy: string]>
> = {
  '28P01': [
    'policy',
    'the database does not accept the password',
    'give it in a file, in PGPASSWORD or in ~/.pgpass, which only you can read',
  ],
  '28000': [
    'policy',
    'the database does not let this role in',
    'ask the administrator for a role that may connect from this machine',
  ],
  '3D000': ['data', 'no such database on this server', 'check the name before # in the address'],
  '42501': [
    'policy',
    'the role has no permission to read these rows',
    'ask the administrator: GRANT USAGE on the schema and GRANT SELECT on the table or view',
  ],
  '25006': [
    'policy',
    'the select would write, and it runs in a read-only transaction',
    'give a select that only reads',
  ],
  '57014': [
    'network',
    'the server ended the query: it took longer than statement_timeout',
    'ask for a longer statement_timeout for this role, or read fewer rows',
  ],
  '54011': [
    'data',
    'the study has more columns than a query of PostgreSQL takes',
    'let the rows be read instead',
  ],
  '53300': ['network', 'the server has no free connection', 'try again later'],
  ENOTFOUND: ['network', 'no such host', 'check the name of the host in the address'],
  EAI_AGAIN: ['network', 'no such host', 'check the name of the host in the address'],
  ECONNREFUSED: [
    'network',
    'no PostgreSQL answers there',
    'check host and port, and whether the server runs',
  ],
};

/** The refusal for an error of PostgreSQL. It quotes only errors of the query's own text: others may contain cells. */
export function postgresRefusal(error: unknown, address: string): FailureError {
  if (error instanceof FailureError) return error;
  const { code, message } = error as { code?: unknown; message?: unknown };
  const known = typeof code === 'string' ? named[code] : undefined;
  const place = { file: address };
  if (known !== undefined) {
    const [kind, problem, remedy] = known;
    return new FailureError(kind, { problem, remedy, place });
  }
  const tls = tlsFailure(error);
  if (tls !== undefined) return tls;
  if (isLost(code, message)) {
    return new FailureError('network', {
      problem: 'the connection to the database was lost',
      remedy: 'nothing was sent; run the same command again',
      place,
    });
  }
  if (typeof code === 'string' && code.startsWith('42')) {
    const problem = `PostgreSQL does not understand the rows after #: ${message}`;
    return new UsageError(`${address}: ${problem}`, 'correct the table or the select');
  }
  return new DataError(
    `PostgreSQL could not read the rows (${typeof code === 'string' ? code : 'no code'})`,
    place,
    'run the select in psql to see why; its message may contain cells, so it is not shown here',
  );
}

function isLost(code: unknown, message: unknown): boolean {
  if (typeof code === 'string') {
    return /^(08|57P)/.test(code) || ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes(code);
  }
  return /connection terminated|connection ended|timeout expired|not queryable|closed/i.test(
    String(message),
  );
}

/** The oldest server whose snapshots, types and COPY are tried: PostgreSQL 11. */
const OLDEST = 110_000;

/** Refuses a server that is too old, by its server_version_num. */
export function refuseOldServer(version: number, address: string): void {
  if (version >= OLDEST) return;
  throw new DataError(
    `the server is PostgreSQL ${Math.floor(version / 10_000)}`,
    { file: address },
    `PostgreSQL ${OLDEST / 10_000} or later is needed; or export the table as CSV and give that file`,
  );
}
