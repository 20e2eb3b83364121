import {
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { useCredentials } from '../src/node/database/credentials.ts';
import { postgresEngine } from '../src/node/database/postgres.ts';
import { databaseAddress } from '../src/rows/database-address.ts';
import { startPostgres } from '../test/postgres-server.ts';
import { runChild } from './child.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { type Line, secondsText } from './table.ts';

const MAIN = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));
const FEATURES = 19;

/** A table of PostgreSQL: its sums by a query, its rows by COPY, and by way of an exported file. */
export const databases: Section = {
  name: 'databases',
  title: 'A table of PostgreSQL with 20 columns, codebook given',
  run,
};

async function run({ quick, rows: wanted, note }: Bench): Promise<readonly Line[]> {
  const rows = wanted ?? (quick ? 20_000 : 5_000_000);
  const folder = mkdtempSync(join(tmpdir(), 'suffice-databases-'));
  const server = await startPostgres(['-c', 'fsync=off', '-c', 'max_wal_size=4GB']);
  try {
    note(`filling a table with ${rows} rows`);
    await fill(server.url, rows);
    const address = `${server.url.replace(':postgres@', '@')}#measured`;
    const study = join(folder, 'study.json');
    writeFileSync(study, JSON.stringify(studyOf()));
    const exported = join(folder, 'measured.csv');
    const digests = new Set<string>();
    const peaks: Record<string, number> = {};
    const fit = async (name: string, path: string, ...flags: readonly string[]) => {
      const args = [MAIN, 'fit', study, path, '--json', '--quiet', ...flags];
      const child = await runChild(process.execPath, args, { PGPASSWORD: 'postgres' });
      digests.add(JSON.parse(child.stdout).digest);
      peaks[name] = Math.max(peaks[name] ?? 0, child.peakMegabytes);
      return child.seconds;
    };
    const seconds = await inTurn(1, {
      copy: () => fit('copy', address, '--pushdown', 'never'),
      pushdown: () => fit('pushdown', address, '--pushdown', 'always'),
      exporting: async () => {
        const start = performance.now();
        await writeExport(address, exported);
        return (performance.now() - start) / 1000 + (await fit('exporting', exported));
      },
    });
    if (digests.size !== 1) throw new Error('the three ways give different totals');
    const text = (name: keyof typeof seconds) =>
      `${secondsText(seconds[name])}, ${(rows / seconds[name] / 1e6).toFixed(2)} M rows/s, peak ${peaks[name]!.toFixed(0)} MB`;
    const size = (statSync(exported).size / 1e6).toFixed(0);
    return [
      { what: `${rows} rows, read by COPY`, ours: text('copy') },
      { what: `${rows} rows, sums by a query`, ours: text('pushdown') },
      { what: `${rows} rows, exported (${size} MB) and read`, ours: text('exporting') },
    ];
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const names = Array.from({ length: FEATURES }, (_, k) => `x${k + 1}`);

async function fill(url: string, rows: number): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  const cells = names.map((name, k) =>
    // Whole numbers, six digits, and all digits of a float64.
    k % 3 === 0
      ? `floor(random() * 90)::int as ${name}`
      : k % 3 === 1
        ? `round((random() * 100)::numeric, 4) as ${name}`
        : `random() as ${name}`,
  );
  await client.query('select setseed(0.5)');
  await client.query(
    `create table measured as select ${cells.join(', ')}, random() * 10 as y from generate_series(1, ${rows})`,
  );
  await client.query('vacuum analyze measured');
  await client.end();
}

function studyOf(): object {
  const range = (k: number) => (k % 3 === 0 ? [0, 90] : k % 3 === 1 ? [0, 100] : [0, 1]);
  const columns = names.map((name, k) => [name, { type: 'number', range: range(k) }]);
  return {
    schema: 'suffice/study@1',
    formula: `y ~ ${names.join(' + ')}`,
    codebook: { ...Object.fromEntries(columns), y: { type: 'number', range: [0, 10] } },
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
    disclosure: { profile: 'none' },
  };
}

async function writeExport(address: string, path: string): Promise<void> {
  useCredentials({ env: { PGPASSWORD: 'postgres' } });
  const table = await postgresEngine.open(databaseAddress(address));
  const descriptor = openSync(path, 'w');
  writeSync(descriptor, `${table.columns.map(({ name }) => name).join(',')}\n`);
  await table.read(table.columns, (bytes) => {
    writeSync(descriptor, bytes);
  });
  closeSync(descriptor);
  await table.close();
}
