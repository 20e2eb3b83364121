import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answers, freePort, isInstalled, killed } from './engine-process.ts';
import type { TestEngine } from './sql-engines.ts';
import type { TestTable } from './sql-tables.ts';

/** How tables of ClickHouse are written, of any version. */
const clickhouseTables = {
  name: 'clickhouse',
  types: { double: 'Float64', integer: 'Int32', decimal: 'Decimal(12,3)', text: 'String' },
  nullable: (type: string) => `Nullable(${type})`,
  tableEnd: 'engine = Memory',
  quote: '`',
  escapes: true,
} as const;

/** ClickHouse of Debian's packages, as a server of its own. */
export const clickhouse: TestEngine = {
  ...clickhouseTables,
  absent: () =>
    isInstalled('clickhouse-server') ? undefined : 'clickhouse-server is not installed',
  async start() {
    const folder = mkdtempSync(join(tmpdir(), 'suffice-clickhouse-'));
    const port = await freePort();
    const config = join(folder, 'config.xml');
    writeFileSync(config, clickhouseConfig(folder, port));
    const server = spawn('clickhouse-server', ['--config-file', config], { stdio: 'ignore' });
    const ask = async (body: BodyInit, query = '') => {
      const url = `http://127.0.0.1:${port}/?default_format=JSONCompact&query=${encodeURIComponent(query)}`;
      const answer = await fetch(url, { method: 'POST', body });
      const said = await answer.text();
      if (!answer.ok) throw new Error(said.slice(0, 2000));
      return said;
    };
    await answers(() => ask('select 1'), server);
    return {
      async run(text) {
        const body = await ask(text);
        if (body.trim() === '') return { columns: [], rows: [] };
        // Decimals are written as bare numbers: their digits must not pass through a float64.
        const quoted = body.replace(/([[,]\s*)(-?\d+(?:\.\d+)?)(?=\s*[\],])/g, '$1"$2"');
        const { meta, data } = JSON.parse(quoted) as {
          meta: { name: string }[];
          data: (string | number | null)[][];
        };
        return {
          columns: meta.map(({ name }) => name),
          rows: data.map((row) => row.map((cell) => (cell === null ? null : String(cell)))),
        };
      },
      async insert(name, table) {
        await ask(new Uint8Array(rowBinary(table)), `insert into ${name} format RowBinary`);
      },
      async stop() {
        await killed(server);
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

/** The part of chdb that is used here; the package has 541 MB, so it is not among the project's own. */
interface Chdb {
  readonly Session: new () => { query(sql: string, format?: string): string; close(): void };
}

/** A folder where somebody ran `npm install chdb`. */
const chdbFolder = process.env.SUFFICE_CHDB;

/** ClickHouse of today, in this process. */
export const clickhouseInProcess: TestEngine = {
  ...clickhouseTables,
  release: 'in process',
  absent: () =>
    chdbFolder === undefined
      ? 'SUFFICE_CHDB names no folder in which chdb was installed'
      : undefined,
  async start() {
    const { Session } = createRequire(join(chdbFolder!, 'package.json'))('chdb') as Chdb;
    const session = new Session();
    session.query('create database if not exists suffice_test');
    session.query('use suffice_test');
    session.query('set output_format_json_quote_decimals = 1');
    session.query('set output_format_json_quote_64bit_integers = 1');
    // As the comment of each query asks, and as our own command has it.
    session.query("set short_circuit_function_evaluation = 'disable'");
    return {
      async run(text) {
        const body = session.query(text, 'JSONCompact');
        if (body.trim() === '') return { columns: [], rows: [] };
        const { meta, data } = JSON.parse(body) as {
          meta: { name: string }[];
          data: (string | number | null)[][];
        };
        return {
          columns: meta.map(({ name }) => name),
          rows: data.map((row) => row.map((cell) => (cell === null ? null : String(cell)))),
        };
      },
      async stop() {
        session.close();
      },
    };
  },
};

/** Rows in ClickHouse's own bytes, all columns Nullable. */
function rowBinary({ columns, rows }: TestTable): Buffer {
  const parts = rows.flatMap((row) =>
    row.flatMap((cell, k) => {
      if (cell === null) return [Buffer.from([1])];
      const bytes = Buffer.alloc(8);
      switch (columns[k]!.type) {
        case 'double':
          bytes.writeDoubleLE(Number(cell));
          return [Buffer.from([0]), bytes];
        case 'decimal':
          bytes.writeBigInt64LE(BigInt(Math.round(Number(cell) * 1000)));
          return [Buffer.from([0]), bytes];
        case 'integer':
          bytes.writeInt32LE(Number(cell));
          return [Buffer.from([0]), bytes.subarray(0, 4)];
        default: {
          const text = Buffer.from(cell);
          return [Buffer.from([0, text.length]), text];
        }
      }
    }),
  );
  return Buffer.concat(parts);
}

function clickhouseConfig(folder: string, port: number): string {
  return `<yandex>
<logger><level>error</level><log>${folder}/log</log><errorlog>${folder}/errors</errorlog></logger>
<http_port>${port}</http_port><listen_host>127.0.0.1</listen_host>
<path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path>
<mark_cache_size>5368709</mark_cache_size>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota></default></users>
<profiles><default><max_query_size>1048576</max_query_size></default></profiles><quotas><default></default></quotas>
<users_config>config.xml</users_config><default_profile>default</default_profile><default_database>default</default_database>
</yandex>`;
}
