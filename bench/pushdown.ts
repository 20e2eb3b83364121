import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startShards } from '../test/clickhouse-shards.ts';
import { startPostgres } from '../test/postgres-server.ts';
import { runChild } from './child.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { type Line, secondsText } from './table.ts';

const MAIN = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));
const WIDTHS = [5, 10, 20, 40];

/** From how many columns on it is quicker to read rows than to let an engine sum them: `auto` of --pushdown follows this. */
export const pushdown: Section = {
  name: 'pushdown',
  title: 'Sums by a query beside reading the rows, by engine and columns of the model',
  run,
};

/** An engine with a table of float64 columns x1, x2, … and y. */
interface Filled {
  readonly name: string;
  readonly address: string;
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

async function run({ quick, rows: wanted, note }: Bench): Promise<readonly Line[]> {
  const rows = wanted ?? (quick ? 20_000 : 500_000);
  const folder = mkdtempSync(join(tmpdir(), 'suffice-pushdown-'));
  const lines: Line[] = [];
  try {
    for (const start of [filledDuckdb, filledClickhouse, filledPostgres]) {
      const engine = await start(rows, folder);
      try {
        for (const width of WIDTHS) {
          note(`${engine.name}, ${width} columns`);
          lines.push(await measured(engine, width, rows, folder));
        }
      } finally {
        await engine.stop();
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return lines;
}

async function measured(
  { name, address, env }: Filled,
  width: number,
  rows: number,
  folder: string,
): Promise<Line> {
  const study = join(folder, `study-${width}.json`);
  writeFileSync(study, JSON.stringify(studyOf(width)));
  const digests = new Set<string>();
  const fit = async (when: string) => {
    const args = [MAIN, 'fit', study, address, '--json', '--quiet', '--pushdown', when];
    const child = await runChild(process.execPath, args, env);
    digests.add(JSON.parse(child.stdout).digest);
    return child.seconds;
  };
  const seconds = await inTurn(2, { query: () => fit('always'), read: () => fit('never') });
  if (digests.size !== 1) throw new Error(`${name}: the two ways give different totals`);
  return {
    what: `${name}, ${rows} rows, ${width} columns: by a query`,
    ours: secondsText(seconds.query),
    peer: `read ${secondsText(seconds.read)}`,
    ratio: `${(seconds.read / seconds.query).toFixed(2)}×`,
  };
}

/** Names of as many columns, the response among them and without the constant. */
function namesOf(width: number): readonly string[] {
  return [...Array.from({ length: width - 1 }, (_, k) => `x${k + 1}`), 'y'];
}

const all = namesOf(Math.max(...WIDTHS));

function studyOf(width: number): object {
  const names = namesOf(width);
  return {
    schema: 'suffice/study@1',
    formula: `y ~ ${names.slice(0, -1).join(' + ')}`,
    codebook: Object.fromEntries(names.map((one) => [one, { type: 'number', range: [0, 1] }])),
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
    disclosure: { profile: 'none' },
  };
}

async function filledDuckdb(rows: number, folder: string): Promise<Filled> {
  const { DuckDBInstance } = await import('@duckdb/node-api');
  const path = join(folder, 'measured.db');
  const instance = await DuckDBInstance.create(path);
  const connection = await instance.connect();
  const cells = all.map((name) => `random() as ${name}`).join(', ');
  await connection.run(`create table measured as select ${cells} from range(${rows})`);
  connection.closeSync();
  instance.closeSync();
  return { name: 'DuckDB', address: `duckdb:${path}#measured`, env: {}, stop: async () => {} };
}

async function filledClickhouse(rows: number): Promise<Filled> {
  const server = await startShards(1);
  const cells = all.map(
    (name, k) =>
      `(intHash64(number * ${all.length} + ${k}) % 4503599627370496) / 4503599627370496 as ${name}`,
  );
  await server.run(
    0,
    `create table measured engine = MergeTree order by tuple() as select ${cells.join(', ')} from numbers(${rows})`,
  );
  const address = `clickhouse://127.0.0.1:${server.ports[0]}/default#measured`;
  return { name: 'ClickHouse', address, env: {}, stop: server.stop };
}

async function filledPostgres(rows: number): Promise<Filled> {
  const server = await startPostgres(['-c', 'fsync=off']);
  const client = new pg.Client(server.url);
  await client.connect();
  const cells = all.map((name) => `random() as ${name}`).join(', ');
  await client.query(`create table measured as select ${cells} from generate_series(1, ${rows})`);
  await client.query('vacuum analyze measured');
  await client.end();
  return {
    name: 'PostgreSQL',
    address: `${server.url.replace(':postgres@', '@')}#measured`,
    env: { PGPASSWORD: 'postgres' },
    stop: server.stop,
  };
}
