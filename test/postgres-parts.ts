import pg from 'pg';
import { closeSessions } from '../src/node/database/session.ts';
import { startPostgres } from './postgres-server.ts';
import { freshDatabase } from './stores.ts';

/** A table of PostgreSQL whose rows three others hold, by postgres_fdw. */
export interface TestParts {
  /** The address without the table, for the role that may only read. */
  readonly place: string;
  readonly env: Readonly<Record<string, string>>;
  /** The administrator of the server that is asked. */
  readonly admin: pg.Client;
  /** The administrators of those with the rows, in the order of the parts. */
  readonly holders: readonly pg.Client[];
  /** The addresses of those with the rows, for their administrators. */
  readonly own: readonly string[];
  /** The role that may only read. */
  readonly reader: string;
  stop(): Promise<void>;
}

const CLINICS = ['north', 'east', 'south'];

/**
 * Makes `patients`, partitioned by `clinic` over `north_rows`, `east_rows` and `south_rows`, each a foreign table. `columns` defines it; the holders'
 * tables are `rows`. The four are servers of their own, or databases of one server.
 */
export async function startParts(columns: string, ownServers: boolean): Promise<TestParts> {
  const servers = ownServers
    ? await Promise.all(Array.from({ length: 4 }, () => startPostgres(['-c', 'fsync=off'])))
    : [];
  const urls = ownServers ? servers.map(({ url }) => url) : await inTurn(4, () => freshDatabase());
  const clients = urls.map((url) => new pg.Client(url));
  await Promise.all(clients.map((client) => client.connect()));
  const [admin, ...holders] = clients as [pg.Client, ...pg.Client[]];
  const name = urls.map((url) => new URL(url).pathname.slice(1));
  // Roles belong to a server, which other tests use too.
  const reader = `reader_${name[0]}_${process.pid}`;
  const holder = (k: number) => `holder_${name[k + 1]}_${process.pid}`;
  await admin.query(`
    create extension postgres_fdw;
    create role ${reader} login password 'reading secret' nosuperuser;
    alter role ${reader} set default_transaction_read_only = on;
    create table patients (clinic text not null, ${columns}) partition by list (clinic);
    grant select on patients to ${reader}`);
  for (const [k, client] of holders.entries()) {
    const { hostname, port, pathname } = new URL(urls[k + 1]!);
    const part = `${CLINICS[k]}_rows`;
    await client.query(`
      create table rows (clinic text not null, ${columns});
      create role ${holder(k)} login password 'holding secret' nosuperuser;
      grant select on rows to ${holder(k)}`);
    await admin.query(`
      create server ${CLINICS[k]} foreign data wrapper postgres_fdw
        options (host '${hostname}', port '${port}', dbname '${pathname.slice(1)}');
      create user mapping for ${reader} server ${CLINICS[k]} options (user '${holder(k)}', password 'holding secret');
      create foreign table ${part} partition of patients for values in ('${CLINICS[k]}')
        server ${CLINICS[k]} options (table_name 'rows');
      grant select on ${part} to ${reader}`);
  }
  return {
    place: urls[0]!.replace('postgres:postgres@', `${reader}@`),
    env: { PGPASSWORD: 'reading secret' },
    ...{ admin, holders, reader },
    own: urls.slice(1).map((url) => url.replace(':postgres@', '@')),
    async stop() {
      await closeSessions();
      await Promise.all(clients.map((client) => client.end()));
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

async function inTurn<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let k = 0; k < count; k++) made.push(await make());
  return made;
}
