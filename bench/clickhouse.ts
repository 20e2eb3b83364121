import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { type ClickhouseShards, SHARD_READER, startShards } from '../test/clickhouse-shards.ts';
import { runChild } from './child.ts';
import { type Bench, inTurn, type Section } from './section.ts';
import { type Line, secondsText } from './table.ts';

const MAIN = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));
const FEATURES = 10;
const SHARDS = 2;

/** A Distributed table of ClickHouse over two servers: its sums by a query, and its rows by way of an exported file. */
export const clickhouse: Section = {
  name: 'clickhouse',
  title: 'A Distributed table of ClickHouse over two servers, 10 features, codebook given',
  run,
};

async function run({ quick, rows: wanted, note }: Bench): Promise<readonly Line[]> {
  const rows = wanted ?? (quick ? 20_000 : 50_000_000);
  const folder = mkdtempSync(join(tmpdir(), 'suffice-clickhouse-bench-'));
  const shards = await startShards(SHARDS);
  try {
    note(`filling ${SHARDS} servers with ${rows} rows`);
    await fill(shards, rows);
    const address = `clickhouse://${SHARD_READER.name}@127.0.0.1:${shards.ports[0]}/clinic#measured`;
    const study = join(folder, 'study.json');
    writeFileSync(study, JSON.stringify(studyOf()));
    const exported = join(folder, 'measured.csv');
    const digests = new Set<string>();
    const peaks: Record<string, number> = {};
    const fit = async (name: string, path: string, ...flags: readonly string[]) => {
      const args = [MAIN, 'fit', study, path, '--json', '--quiet', ...flags];
      const child = await runChild(process.execPath, args, {
        SUFFICE_DB_PASSWORD: SHARD_READER.password,
      });
      digests.add(JSON.parse(child.stdout).digest);
      peaks[name] = Math.max(peaks[name] ?? 0, child.peakMegabytes);
      return child.seconds;
    };
    let exporting = 0;
    const seconds = await inTurn(1, {
      pushdown: () => fit('pushdown', address, '--pushdown', 'always'),
      exported: async () => {
        const start = performance.now();
        await writeExport(shards.ports[0]!, exported);
        exporting = (performance.now() - start) / 1000;
        return exporting + (await fit('exported', exported));
      },
    });
    if (digests.size !== 1) throw new Error('the two ways give different totals');
    const text = (name: keyof typeof seconds) =>
      `${secondsText(seconds[name])}, ${(rows / seconds[name] / 1e6).toFixed(2)} M rows/s, peak ${peaks[name]!.toFixed(0)} MB`;
    const size = (statSync(exported).size / 1e6).toFixed(0);
    return [
      { what: `${rows} rows, sums by a query`, ours: text('pushdown') },
      {
        what: `${rows} rows, exported as CSV (${size} MB, ${secondsText(exporting)}) and read`,
        ours: text('exported'),
      },
      {
        what: '  the query beside the export, same digest',
        ours: `${(seconds.exported / seconds.pushdown).toFixed(1)}× as fast`,
      },
    ];
  } finally {
    await shards.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const names = Array.from({ length: FEATURES }, (_, k) => `x${k + 1}`);

/** Whole numbers, decimals, and all digits of a float64, as many rows on each server. */
async function fill(shards: ClickhouseShards, rows: number): Promise<void> {
  const cells = names.map((name, k) => {
    const hash = `intHash64(number * ${FEATURES} + ${k})`;
    if (k % 3 === 0) return `toInt32(${hash} % 90) as ${name}`;
    if (k % 3 === 1) return `toDecimal64(${hash} % 1000000, 4) / 10000 as ${name}`;
    return `(${hash} % 4503599627370496) / 4503599627370496 as ${name}`;
  });
  const noise = '(intHash64(number + 77) % 4503599627370496) / 4503599627370496';
  const types = names.map((name, k) => `${name} ${['Int32', 'Decimal(15, 4)', 'Float64'][k % 3]}`);
  for (let shard = 0; shard < SHARDS; shard++) {
    const from = Math.floor((rows * shard) / SHARDS);
    const to = Math.floor((rows * (shard + 1)) / SHARDS);
    await shards.run(shard, 'create database clinic');
    await shards.run(
      shard,
      `create table clinic.local_measured (${types.join(', ')}, y Float64) engine = MergeTree order by tuple()`,
    );
    await shards.run(
      shard,
      `insert into clinic.local_measured select ${cells.join(', ')}, x1 / 10 + x3 - ${noise} as y
       from (select number + ${from} as number from numbers(${to - from}))`,
    );
  }
  await shards.run(
    0,
    'create table clinic.measured as clinic.local_measured engine = Distributed(clinics, clinic, local_measured)',
  );
}

function studyOf(): object {
  const range = (k: number) =>
    [
      [0, 90],
      [0, 100],
      [0, 1],
    ][k % 3];
  const columns = names.map((name, k) => [name, { type: 'number', range: range(k) }]);
  return {
    schema: 'suffice/study@1',
    formula: `y ~ ${names.join(' + ')}`,
    codebook: { ...Object.fromEntries(columns), y: { type: 'number', range: [-10, 20] } },
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
    disclosure: { profile: 'none' },
  };
}

/** The export as an administrator makes it: one request, written to a file. */
async function writeExport(port: number, path: string): Promise<void> {
  const asked = request({ host: '127.0.0.1', port, method: 'POST' });
  asked.end('select * from clinic.measured format CSVWithNames');
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  if (answer.statusCode !== 200) throw new Error(`ClickHouse answered ${answer.statusCode}`);
  await pipeline(answer, createWriteStream(path));
}
