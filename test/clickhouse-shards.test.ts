import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agreement } from '../src/federate.ts';
import { clickhouseEngine } from '../src/node/database/clickhouse.ts';
import { useCredentials } from '../src/node/database/credentials.ts';
import { databaseAddress } from '../src/rows/database-address.ts';
import { dialects } from '../src/sql/dialects.ts';
import { partsQuery } from '../src/sql/parts-query.ts';
import { summaryFrom } from '../src/sql/summary-from.ts';
import type { TableStudy } from '../src/study/study.ts';
import { runSuffice, temporaryFolder } from './cli.ts';
import { type ClickhouseShards, SHARD_READER, startShards } from './clickhouse-shards.ts';
import { whyNoClickhouse } from './database-tables.ts';
import { enduring } from './endurance.ts';
import { PATIENCE_MS } from './patience.ts';

const folder = temporaryFolder();
const EACH = 350;

const study: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'y ~ x + I(x^2) + ward',
  codebook: {
    y: { type: 'number', range: [-100, 100] },
    x: { type: 'number', range: [0, 400] },
    ward: { type: 'category', levels: ['ward a', 'ward b'] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  disclosure: { profile: 'none' },
};

interface Sent {
  readonly rows: number;
  readonly sql: string;
}
const LOGGED =
  "select result_rows, replaceAll(query, '\\n', ' ') from system.query_log where type = 2 and is_initial_query = 0 format TabSeparated";

/** The rows of one server; every 50th lacks a cell. */
const rowsOf = (shard: number) =>
  Array.from({ length: EACH }, (_, k) => {
    const r = shard * EACH + k;
    const x = r % 50 === 7 ? '\\N' : (((r * 104729) % 997) / 3).toFixed(3);
    return [((r * 7919) % 1000) / 8 - 60, x, ['ward a', 'ward b'][(r * 31) % 2]].join('\t');
  });

describe.skipIf(!enduring || whyNoClickhouse() !== undefined)(
  'a Distributed table of ClickHouse',
  () => {
    let shards: ClickhouseShards;
    let place: string;
    const env = { SUFFICE_DB_PASSWORD: SHARD_READER.password };
    const path = join(folder, 'study.json');
    beforeAll(async () => {
      writeFileSync(path, JSON.stringify(study));
      shards = await startShards(2);
      await Promise.all([0, 1].map((k) => filled(k)));
      await shards.run(
        0,
        'create table clinic.patients as clinic.local_patients engine = Distributed(clinics, clinic, local_patients)',
      );
      place = `clickhouse://${SHARD_READER.name}@127.0.0.1:${shards.ports[0]}/clinic`;
    });
    afterAll(() => shards?.stop());

    const filled = async (shard: number) => {
      await shards.run(shard, 'create database clinic');
      await shards.run(
        shard,
        'create table clinic.local_patients (y Float64, x Nullable(Decimal(15, 3)), ward String) engine = Memory',
      );
      await shards.run(
        shard,
        `insert into clinic.local_patients format TabSeparated\n${rowsOf(shard).join('\n')}`,
      );
    };

    /** The queries that the second server got from the first, with the rows that it sent for each, once the log has what is waited for. */
    const sentBySecond = async (
      has: (sent: readonly Sent[]) => boolean,
    ): Promise<readonly Sent[]> => {
      for (const deadline = Date.now() + PATIENCE_MS; ; ) {
        const text = await shards.run(1, LOGGED).catch(() => '');
        const sent = text
          .trim()
          .split('\n')
          .map((line) => line.split('\t'))
          .map(([rows, sql = '']) => ({ rows: Number(rows), sql }));
        if (has(sent)) return sent;
        if (Date.now() > deadline) throw new Error('the second server logged no such query');
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };

    it('sums where the rows are: sums travel between the servers, the digest is that of the rows', async () => {
      const address = `${place}#patients`;
      const computed = await runSuffice(['fit', path, address, '--pushdown', 'always', '--json'], {
        env,
      });
      expect([computed.code, computed.stderr]).toEqual([
        0,
        expect.stringContaining('the servers that hold the rows send sums, and no row'),
      ]);
      const sent = await sentBySecond((all) => all.some(({ sql }) => sql.includes('WHERE')));
      expect(sent.filter(({ sql }) => sql.includes('toDecimal128')).length).toBeGreaterThan(1);
      expect(Math.max(...sent.map(({ rows }) => rows))).toBe(1);
      const read = await runSuffice(['fit', path, address, '--pushdown', 'never', '--json'], {
        env,
      });
      expect(JSON.parse(computed.stdout)).toEqual(JSON.parse(read.stdout));
      expect(JSON.parse(read.stdout).n).toBe(2 * EACH - 14);
      const file = join(folder, 'patients.csv');
      const lines = [0, 1].flatMap(rowsOf).map((line) => line.replaceAll('\t', ','));
      writeFileSync(file, `y,x,ward\n${lines.join('\n').replaceAll('\\N', '')}\n`);
      const exported = await runSuffice(['fit', path, file, '--json']);
      expect(JSON.parse(exported.stdout).digest).toBe(JSON.parse(computed.stdout).digest);
      // The log would have told: rows that are read do travel.
      await sentBySecond((all) => all.some(({ rows }) => rows === EACH));
    });

    it('gives a contribution the bytes of the rows, with the facts for the rules', async () => {
      const audited = join(folder, 'audited.json');
      writeFileSync(audited, JSON.stringify({ ...study, disclosure: { profile: 'default' } }));
      const made = async (when: string) => {
        const out = join(folder, `${when}.suffice`);
        const flags = [
          '--unsigned',
          '--out',
          out,
          '--home',
          join(folder, when),
          '--pushdown',
          when,
        ];
        const { code, stderr } = await runSuffice(
          [
            'contribute',
            audited,
            `${place}#patients`,
            ...flags,
            '--acknowledge',
            'R5,R6,R7,R9',
            '--quiet',
          ],
          { env },
        );
        expect(code, stderr).toBe(0);
        return readFileSync(out);
      };
      expect((await made('always')).equals(await made('never'))).toBe(true);
    });

    it('is refused where an engine wraps on two servers', async () => {
      for (const shard of [0, 1]) {
        await shards.run(
          shard,
          "create table clinic.local_many engine = Memory as select toFloat64(100) as y, toFloat64(400) as x, 'ward a' as ward from numbers(600000)",
        );
      }
      await shards.run(
        0,
        'create table clinic.many as clinic.local_many engine = Distributed(clinics, clinic, local_many)',
      );
      useCredentials({ env });
      const table = await clickhouseEngine.open(databaseAddress(`${place}#many`));
      const narrow = agreement({ ...study, formula: 'y ~ x' });
      const asked = async (sum: (value: string) => string) => {
        const dialect = { ...dialects.clickhouse, sum };
        const queries = partsQuery(narrow, dialect, table.elsewhere!.parts)!;
        const answers = [];
        for (const { sql } of queries) answers.push(await table.query(sql));
        return summaryFrom(narrow, answers);
      };
      expect((await asked(dialects.clickhouse.sum)).rows).toBe(1_200_000);
      await expect(asked((value) => `sum(toInt64(${value}))`)).rejects.toThrow(
        'the sums of clickhouse do not agree',
      );
    });
  },
);
