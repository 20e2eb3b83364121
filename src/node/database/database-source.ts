import { type CsvFeed, readFeed, scanFeed } from '../../rows/csv-feed.ts';
import { databaseAddress, isDatabaseAddress } from '../../rows/database-address.ts';
import type { Source, SourceReader, SourceReading } from '../../rows/source.ts';
import type { AskedColumn, DatabaseColumn } from './engine.ts';
import { openSession, readingDigest, sessionNamed } from './session.ts';
import { headerOfRow } from './sql-text.ts';
import { askedColumn, logicalWords, refuseOtherType, refuseUnknownType } from './typed-columns.ts';

/** A table or a select of a database. */
export interface DatabaseSource extends Source {
  readonly kind: 'database';
  /** The session that reads it, in the process that opened it. */
  readonly session: string;
  readonly columns: readonly DatabaseColumn[];
  readonly rows: number;
}

/** Bytes of a cell, about: for the progress bar. */
const CELL_BYTES = 8;

/** Tables of databases, read as the CSV that the database would export, in one state. */
export const databaseSource: SourceReader<DatabaseSource> = {
  kind: 'database',
  matches({ address: { path } }) {
    if (!isDatabaseAddress(path)) return false;
    databaseAddress(path); // refuses a password before anything shows the address
    return true;
  },
  async version({ address: { path } }) {
    const { table, session } = await openSession(databaseAddress(path));
    await session.close();
    return { path, ...table.state };
  },
  async open({ address: { path } }) {
    const { name, table } = await openSession(databaseAddress(path));
    const { columns, rows } = table;
    return {
      kind: 'database',
      name: path,
      header: columns.map((column) => column.name),
      length: Math.max(1, rows * columns.length * CELL_BYTES),
      version: { path, ...table.state },
      decimal: '.',
      session: name,
      columns,
      rows,
    };
  },
  sums(source, { agreed, site, missing }) {
    const { name, version, rows } = source;
    const { path, ...state } = version;
    for (const wanted of agreed.columns) {
      const column = source.columns.find((one) => one.name === wanted.name);
      if (column !== undefined) refuseOtherType(wanted, column, name);
    }
    const session = sessionNamed(source.session, path, state);
    return session.use(async (table) => {
      const { scheme } = session.address;
      const { sumsInside } = await import('./pushdown.ts');
      const inside = await sumsInside({ scheme, name, table, agreed, site, missing });
      if (inside !== undefined) session.sameCount(inside.counted, rows);
      return inside?.summary;
    });
  },
  // The transaction belongs to the thread that opened it.
  here: true,
  cut: () => [],
  tells: true,
  scan(reading, request) {
    const { source } = reading;
    const wanted = inOrder(source, request.wanted);
    const asked = wanted.map((column) => {
      const { name } = column;
      const described = request.codebook?.[name];
      if (described === undefined) refuseUnknownType(column, source.name);
      else refuseOtherType({ name, column: described }, column, source.name);
      return { name, words: logicalWords(described?.levels) };
    });
    return fed(reading, asked, (header) => scanFeed({ name: source.name, header }, request));
  },
  async read(reading, columns, sink) {
    const { source } = reading;
    const names = columns.map(({ name }) => name);
    const asked = inOrder(source, names).map((column) => {
      const wanted = columns.find(({ name }) => name === column.name)!;
      refuseOtherType(wanted, column, source.name);
      return askedColumn(wanted);
    });
    await fed(reading, asked, (header) => readFeed({ name: source.name, header }, columns, sink));
    return { from: 0, to: source.rows };
  },
};

/** The columns in the order of the table: readings of the same columns then have the same text. */
function inOrder({ columns }: DatabaseSource, wanted: readonly string[]): DatabaseColumn[] {
  return columns.filter(({ name }) => wanted.includes(name));
}

/** Feeds the rows of a table to a reader, and compares them with those of earlier readings. */
function fed<Result>(
  { source, progress }: SourceReading<DatabaseSource>,
  asked: readonly AskedColumn[],
  start: (header: readonly string[]) => CsvFeed<Result>,
): Promise<Result> {
  const { session: name, version, length, rows } = source;
  const { path, ...state } = version;
  const session = sessionNamed(name, path, state);
  return session.use(async (table) => {
    const feed = start(headerOfRow(asked.map((column) => column.name)));
    const digest = readingDigest();
    await table.read(asked, (bytes) => {
      digest.add(bytes);
      feed.push(bytes);
      progress(Math.min(length, (length * feed.rows) / Math.max(1, rows)), feed.rows);
    });
    const result = feed.end();
    session.sameRows(JSON.stringify(asked), feed.rows, digest.text());
    progress(length, feed.rows);
    return result;
  });
}
