import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Tables } from '../../coordinator/tables.ts';
import { tlsFailure, usualTls } from '../store/postgres-tls.ts';
import { type CheckResult, clockResult, ok, problem, warning } from './check-result.ts';
import { checkTables } from './check-store.ts';

/** Oldest major version of PostgreSQL that is tested. */
const LEAST_VERSION = 13;
/** Connections that one coordinator may open. */
const CONNECTIONS = 14;
const SLOW_MS = 20;

interface Facts {
  readonly version: number;
  readonly encrypted: boolean | null;
  readonly may_create: boolean;
  readonly most: number;
  readonly used: number;
  readonly readonly: boolean;
}

/** Checks a PostgreSQL database as a coordinator would use it. Reads only. */
export async function checkDatabase(url: string): Promise<readonly CheckResult[]> {
  const ssl = usualTls(url);
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    connectionTimeoutMillis: 10_000,
    query_timeout: 60_000,
    application_name: 'suffice-doctor',
    types: { getTypeParser: wholeNumbers } as pg.CustomTypesConfig,
    ...(ssl === undefined ? {} : { ssl }),
  });
  pool.on('error', () => {});
  try {
    const { rows } = await pool.query<Facts>(`select
      current_setting('server_version_num')::int / 10000 as version,
      (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as encrypted,
      has_schema_privilege(current_schema(), 'CREATE') as may_create,
      current_setting('max_connections')::int as most,
      (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
      pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' as readonly`);
    const facts = factResults(rows[0], isHere(ssl));
    const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
    return [...facts, ...(await timing(pool)), ...(await checkTables(db))];
  } catch (failure) {
    const named = tlsFailure(failure);
    // The message of the failure may quote the address and its password.
    const code = failure instanceof Error && 'code' in failure ? ` (${failure.code})` : '';
    const text = named?.problem ?? `it cannot be used${code}`;
    const remedy =
      named?.remedy ?? 'check the address, that the database runs, and the rights of the role';
    return [problem('database', text, remedy)];
  } finally {
    await pool.end().catch(() => {});
  }
}

function wholeNumbers(oid: number, format?: 'text' | 'binary') {
  return oid === 20 || oid === 1700 ? Number : pg.types.getTypeParser(oid, format);
}

function isHere(ssl: ReturnType<typeof usualTls>): boolean {
  return ssl === false;
}

function factResults(facts: Facts, here: boolean): readonly CheckResult[] {
  const { version, encrypted, may_create, most, used } = facts;
  const free = most - used;
  return [
    version >= LEAST_VERSION
      ? ok('database', `PostgreSQL ${version}`)
      : warning('database', `PostgreSQL ${version} is not tested`, `use ${LEAST_VERSION} or later`),
    encrypted === true || here
      ? ok('TLS', encrypted === true ? 'the connection is encrypted' : 'not needed on this machine')
      : warning('TLS', 'the connection is not encrypted', 'set up TLS at the database'),
    may_create
      ? ok('rights', 'the role may create tables')
      : problem(
          'rights',
          'the role may not create tables',
          'grant create on its schema to the role',
        ),
    facts.readonly
      ? problem('writes', 'the server can only be read', 'use the address of the primary server')
      : ok('writes', 'the server takes writes'),
    free >= CONNECTIONS
      ? ok('connections', `${used} of ${most} in use`)
      : warning(
          'connections',
          `${used} of ${most} in use, and a coordinator may open ${CONNECTIONS}`,
          'raise max_connections, or end other clients',
        ),
  ];
}

async function timing(pool: pg.Pool): Promise<readonly CheckResult[]> {
  const times: number[] = [];
  let ahead = 0;
  for (let k = 0; k < 5; k++) {
    const before = Date.now();
    const started = performance.now();
    const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
    const took = performance.now() - started;
    times.push(took);
    ahead = before + took / 2 - rows[0].now.getTime();
  }
  const median = times.toSorted((a, b) => a - b)[2];
  const text = `a query takes ${median.toFixed(1)} ms`;
  return [
    median < SLOW_MS
      ? ok('latency', text)
      : warning('latency', text, 'put coordinator and database into one network'),
    clockResult('the database', ahead, median),
  ];
}
