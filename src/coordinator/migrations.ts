import { type Kysely, sql, type Transaction } from 'kysely';
import { FailureError } from '../failure.ts';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

/** SQL statements that bring the tables from one version to the next; the same for both stores. */
type Migration = (types: ColumnTypes) => readonly string[];

/** SQL types for bytes and for whole numbers up to 2⁵³. */
interface ColumnTypes {
  readonly bytes: string;
  readonly whole: string;
}

const columnTypes: Readonly<Record<Store['kind'], ColumnTypes>> = {
  sqlite: { bytes: 'blob', whole: 'integer' },
  postgres: { bytes: 'bytea', whole: 'bigint' },
};

/** Migration k gives version k + 1. A released migration is never edited. */
const migrations: readonly Migration[] = [
  ({ bytes, whole }) => [
    `create table access (
      hash text primary key,
      role text not null,
      study text,
      site text,
      created_at text not null,
      expires_at text,
      revoked_at text
    )`,
    'create index access_of_site on access (study, site)',
    `create table studies (
      id text primary key,
      digest text not null unique,
      document text not null,
      state text not null,
      created_at text not null,
      deadline text,
      quorum ${whole} not null,
      problem text,
      due ${whole} not null,
      audit_length ${whole} not null,
      audit_head text not null
    )`,
    `create table sites (
      study text not null references studies (id),
      name text not null,
      state text not null,
      key text,
      next_sequence ${whole} not null,
      bytes_up ${whole} not null,
      bytes_down ${whole} not null,
      primary key (study, name)
    )`,
    'create index sites_by_state on sites (study, state)',
    `create table contributions (
      study text not null,
      site text not null,
      sequence ${whole} not null,
      mode text not null,
      digest text,
      rows ${whole},
      dropped ${whole},
      bytes ${whole},
      received_at text not null,
      late ${whole} not null,
      audit_position ${whole} not null,
      body ${bytes},
      primary key (study, site, sequence),
      foreign key (study, site) references sites (study, name)
    )`,
    `create table resolutions (
      study text not null references studies (id),
      number ${whole} not null,
      digest text not null,
      resolved_at text not null,
      sites ${whole} not null,
      document text not null,
      primary key (study, number)
    )`,
    `create table audit (
      study text not null references studies (id),
      position ${whole} not null,
      at text not null,
      event text not null,
      detail text not null,
      previous text not null,
      digest text not null,
      primary key (study, position)
    )`,
  ],
  ({ whole }) => [
    'alter table studies add column first text',
    `alter table studies add column round ${whole} not null default 1`,
    `alter table studies add column from_resolution ${whole}`,
    'create unique index studies_by_round on studies (first, round)',
  ],
  ({ whole }) => [
    `create table helper_answers (
      study text not null,
      contributions text not null,
      members text not null,
      answered_at text not null,
      primary key (study, contributions)
    )`,
    `create table helper_seeds (
      hash text primary key,
      study text not null,
      site text not null,
      sequence ${whole} not null
    )`,
  ],
  () => [
    `create table mask_messages (
      study text not null references studies (id),
      stage text not null,
      site text not null,
      digest text not null,
      body text not null,
      primary key (study, stage, site)
    )`,
  ],
  () => [
    `create table openings (
      study text not null references studies (id),
      site text not null,
      contributions text not null,
      asked_at text,
      agreement text,
      finding text,
      why text,
      primary key (study, site)
    )`,
  ],
  ({ bytes, whole }) => [
    `create table uploads (
      study text not null,
      site text not null,
      file text not null,
      started_at text not null,
      sequence ${whole},
      primary key (study, site, file),
      foreign key (study, site) references sites (study, name)
    )`,
    `create table blocks (
      study text not null,
      site text not null,
      file text not null,
      number ${whole} not null,
      digest text not null,
      bytes ${whole} not null,
      body ${bytes} not null,
      primary key (study, site, file, number)
    )`,
  ],
  ({ bytes, whole }) => [
    `create table parents (
      study text primary key references studies (id),
      link text not null,
      document text not null,
      masks text,
      problem text,
      left_at text
    )`,
    `create table forwards (
      study text not null references studies (id),
      sequence ${whole} not null,
      kind text not null,
      contributions text not null,
      members text not null,
      digest text,
      made_at text not null,
      body ${bytes},
      receipt text,
      primary key (study, sequence)
    )`,
  ],
  () => ['alter table studies add column erased_at text'],
  ({ bytes, whole }) => [
    `create table party_messages (
      study text not null references studies (id),
      step text not null,
      sender text not null,
      receiver text not null,
      part ${whole} not null,
      parts ${whole} not null,
      digest text not null,
      body ${bytes} not null,
      primary key (study, step, sender, receiver, part)
    )`,
  ],
  ({ whole }) => [
    `alter table sites add column device ${whole} not null default 0`,
    `create table enrolments (
      study text primary key references studies (id),
      at_most ${whole},
      ends_at text,
      ended_at text,
      enrolled ${whole} not null
    )`,
  ],
  () => [
    `create table sent_sums (
      study text not null references studies (id),
      contributions text not null,
      members text not null,
      primary key (study, contributions)
    )`,
    `insert into sent_sums (study, contributions, members)
      select study, contributions, min(members) from forwards where kind = 'sum' group by study, contributions`,
  ],
];

/** The version of the tables this program reads and writes. */
export const tablesVersion: number = migrations.length;

/**
 * Brings the tables to this program's version, or in tests to an earlier one. It must run in a transaction that excludes other
 * migrations. Refuses tables of a newer program.
 */
export async function migrate(
  db: Transaction<Tables>,
  kind: Store['kind'],
  to: number = tablesVersion,
): Promise<void> {
  await sql`create table if not exists settings (name text primary key, value text not null)`.execute(
    db,
  );
  const version = await storedVersion(db);
  refuseNewer(version);
  for (const migration of migrations.slice(version, to)) {
    for (const statement of migration(columnTypes[kind])) await sql.raw(statement).execute(db);
  }
  await db
    .insertInto('settings')
    .values({ name: 'tables', value: String(to) })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: String(to) }))
    .execute();
}

/** Refuses tables of a newer program: this one does not know what they mean. */
export function refuseNewer(version: number): void {
  if (version <= tablesVersion) return;
  throw new FailureError('data', {
    problem: `the tables of the store have version ${version}, this program knows versions up to ${tablesVersion}`,
    remedy: 'install the newer suffice that made them',
  });
}

/** The version of the tables in a store; 0 if it has none yet. Changes nothing. */
export async function tablesVersionOf(db: Kysely<Tables>): Promise<number> {
  return (await hasTable(db, 'settings')) ? storedVersion(db) : 0;
}

/** Whether the store has a table, or a column in it: tables of an earlier version lack some. */
export async function hasTable(
  db: Kysely<Tables>,
  name: keyof Tables,
  column?: string,
): Promise<boolean> {
  const table = (await db.introspection.getTables()).find((one) => one.name === name);
  return table?.columns.some((one) => column === undefined || one.name === column) === true;
}

async function storedVersion(db: Kysely<Tables>): Promise<number> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('name', '=', 'tables')
    .executeTakeFirst();
  const version = Number(row?.value ?? 0);
  if (Number.isSafeInteger(version) && version >= 0) return version;
  throw new FailureError('data', {
    problem: 'the store is damaged: the version of its tables cannot be read',
    remedy: 'keep a copy of it, then restore the newest backup: docs/backup.md',
  });
}
