import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SHARD_READER, startShards } from '../test/clickhouse-shards.ts';
import { runChild } from './child.ts';
import { findPython } from './peer.ts';
import type { Bench, Section } from './section.ts';
import type { Line } from './table.ts';

const MAIN = fileURLToPath(new URL('../dist/command/main.js', import.meta.url));
const SCRIPT = fileURLToPath(new URL('collinear.py', import.meta.url));

/**
 * The collinear matrix of dbt_linreg @5bf4f01, and what its own test says of it: coefficients of statsmodels, compared after rounding
 * to seven decimals (integration_tests/tests/test_collinear_matrix_regression_chol.sql).
 */
const STATED = {
  first: 160.02739503452554,
  coefficients: [
    19.757104885315176, 9.90708767581426, 6.187473206056227, 19.66874583168642, 3.7192417102253468,
    13.444273483323244,
  ],
};

/** A regression in the warehouse: dbt_linreg's collinear matrix, over two servers of ClickHouse. */
export const collinear: Section = {
  name: 'collinear',
  title: 'The collinear matrix of dbt_linreg, 10,000 rows on two servers of ClickHouse',
  run,
};

async function run({ note }: Bench): Promise<readonly Line[]> {
  const python = findPython();
  if (!python?.versions.numpy) {
    note('no numpy here: the matrix cannot be made');
    return [];
  }
  const folder = mkdtempSync(join(tmpdir(), 'suffice-collinear-'));
  const file = join(folder, 'collinear.csv');
  const made = JSON.parse(
    execFileSync(python.command, [SCRIPT, file], { encoding: 'utf8', maxBuffer: 2 ** 26 }),
  ) as { first: number[]; exact: number[]; numpy: number[] };
  if (made.first[0] !== STATED.first) throw new Error('the matrix is not that of dbt_linreg');
  const shards = await startShards(2);
  try {
    const [, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
    for (const shard of [0, 1]) {
      await shards.run(shard, 'create database clinic');
      await shards.run(
        shard,
        `create table clinic.local_matrix (${['y', 'x1', 'x2', 'x3', 'x4', 'x5'].map((name) => `${name} Float64`).join(', ')}) engine = Memory`,
      );
      // ClickHouse reads texts of numbers with an error of a bit, so the rows go there as bytes.
      const own = lines.filter((_, k) => k % 2 === shard);
      const cells = own.flatMap((line) => line.split(',').map(Number));
      const bytes = new Uint8Array(Float64Array.from(cells).buffer);
      await shards.run(shard, 'insert into clinic.local_matrix format RowBinary', bytes);
    }
    await shards.run(
      0,
      'create table clinic.matrix as clinic.local_matrix engine = Distributed(clinics, clinic, local_matrix)',
    );
    const address = `clickhouse://${SHARD_READER.name}@127.0.0.1:${shards.ports[0]}/clinic#matrix`;
    const fit = async (grid: number, path: string, ...flags: readonly string[]) => {
      const study = join(folder, `study-${grid}.json`);
      writeFileSync(study, JSON.stringify(studyOf(grid)));
      const args = [MAIN, 'fit', study, path, '--json', '--quiet', ...flags];
      const child = await runChild(process.execPath, args, {
        SUFFICE_DB_PASSWORD: SHARD_READER.password,
      });
      return JSON.parse(child.stdout) as Fit;
    };
    const [usual, pooled] = [await fit(44, address, '--pushdown', 'always'), await fit(44, file)];
    const fine = await fit(88, address, '--pushdown', 'always');
    if (usual.digest !== pooled.digest) throw new Error('the two ways give different totals');
    const stated = 'dbt_linreg’s tests compare 6 to 7 decimals';
    return [
      line(
        'largest difference from the fit of all rows in one file',
        usual,
        estimates(pooled),
        stated,
      ),
      line('  from the exact rational answer, rounded once', usual, made.exact),
      line('  the same with 88 bits', fine, made.exact),
      line('  from numpy', usual, made.numpy),
      line('  from the figures of dbt_linreg’s test (statsmodels)', usual, STATED.coefficients),
    ];
  } finally {
    await shards.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Fit {
  readonly digest: string;
  readonly terms: readonly { readonly estimate: number }[];
}

function estimates({ terms }: Fit): readonly number[] {
  return terms.map(({ estimate }) => estimate);
}

/** The largest difference of a coefficient from another answer. */
function line(what: string, ours: Fit, others: readonly number[], peer = ''): Line {
  const apart = Math.max(...estimates(ours).map((one, k) => Math.abs(one - others[k]!)));
  return { what, ours: apart === 0 ? '0' : apart.toExponential(1), peer };
}

function studyOf(grid: number): object {
  const wide = { type: 'number', range: [-128, 128] };
  return {
    schema: 'suffice/study@1',
    formula: 'y ~ x1 + x2 + x3 + x4 + x5',
    codebook: {
      y: { type: 'number', range: [-2048, 2048] },
      ...Object.fromEntries(['x1', 'x2', 'x3', 'x4', 'x5'].map((name) => [name, wide])),
    },
    fusion: { kind: 'ridge', ridge: 0 },
    arithmetic: 'exact',
    grid,
    disclosure: { profile: 'none' },
  };
}
