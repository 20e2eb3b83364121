import { CompiledQuery, type Transaction } from 'kysely';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

type Db = Transaction<Tables>;
type Row = Readonly<Record<string, unknown>>;

/** The parameters of one statement that SQLite runs once for each of them. Given as the only parameter. */
export class EachRow {
  readonly rows: readonly (readonly unknown[])[];

  constructor(rows: readonly (readonly unknown[])[]) {
    this.rows = rows;
  }
}

/**
 * Inserts rows with the same columns. PostgreSQL gets one statement, since each one waits for the network; SQLite runs the same
 * short statement again and again, which is prepared.
 */
export async function insertRows(
  db: Db,
  kind: Store['kind'],
  table: keyof Tables,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.keys(rows[0]);
  const head = `insert into ${table} (${columns.join(', ')}) values `;
  const values = (row: Row) => columns.map((column) => row[column]);
  if (kind === 'sqlite') {
    const text = `${head}(${columns.map(() => '?').join(', ')})`;
    await db.executeQuery(CompiledQuery.raw(text, [new EachRow(rows.map(values))]));
    return;
  }
  const text = head + placeholders(rows.length, columns);
  await db.executeQuery(CompiledQuery.raw(text, rows.flatMap(values)));
}

/** Columns of a row to write, by name, with their SQL types; a `key` column says which row it is. */
export interface RowChange {
  readonly table: keyof Tables;
  readonly key: string;
  readonly set: Readonly<Record<string, 'text' | 'bigint'>>;
  /** Whether the values take the place of those before, or are added to them. */
  readonly how: 'replace' | 'add';
  /** Which rows may change at all; each `?` stands for a value. */
  readonly where: string;
}

/** Changes rows by their key, in one statement in PostgreSQL; `asked` are the values of `where`. */
export async function updateRows(
  db: Db,
  kind: Store['kind'],
  { table, key, set, how, where }: RowChange,
  asked: readonly string[],
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = Object.keys(set);
  const before = (column: string) => (how === 'add' ? `${table}.${column} + ` : '');
  if (kind === 'sqlite') {
    const text = `update ${table} set ${columns.map((column) => `${column} = ${before(column)}?`).join(', ')} where ${key} = ? and ${where}`;
    const values = (row: Row) => [...columns.map((column) => row[column]), row[key], ...asked];
    await db.executeQuery(CompiledQuery.raw(text, [new EachRow(rows.map(values))]));
    return;
  }
  const all = [key, ...columns];
  let place = rows.length * all.length;
  const condition = where.replaceAll('?', () => `$${++place}`);
  const types = ['text', ...Object.values(set)];
  const text = `with changed (${all.join(', ')}) as (values ${placeholders(rows.length, all, types)})
    update ${table} set ${columns.map((column) => `${column} = ${before(column)}changed.${column}`).join(', ')}
    from changed where ${table}.${key} = changed.${key} and ${condition}`;
  const values = rows.flatMap((row) => all.map((column) => row[column]));
  await db.executeQuery(CompiledQuery.raw(text, [...values, ...asked]));
}

function placeholders(rows: number, columns: readonly string[], types?: readonly string[]): string {
  const one = (row: number) =>
    columns.map((_, k) => {
      const place = `$${row * columns.length + k + 1}`;
      return types === undefined ? place : `cast(${place} as ${types[k]})`;
    });
  return Array.from({ length: rows }, (_, row) => `(${one(row).join(', ')})`).join(', ');
}
