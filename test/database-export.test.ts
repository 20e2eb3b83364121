import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TableStudy } from '../src/study/study.ts';
import { runSuffice, suffice, temporaryFolder } from './cli.ts';
import {
  clickhouseDatabase,
  duckdbDatabase,
  postgresDatabase,
  type TestDatabase,
  type TestTable,
  type TestType,
  whyNoClickhouse,
} from './database-tables.ts';
import { cases, enduring } from './endurance.ts';
import { mariadbDatabase, whyNoMariadb } from './mariadb-server.ts';

const folder = temporaryFolder();
const data = new URL('../../shared/data/', import.meta.url).pathname;

/** A random table: the same numbers for the same seed. */
function randomTable(seed: number): TestTable {
  let state = seed * 2654435761 + 1;
  const next = () => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 3266489917) >>> 0;
    return state / 2 ** 32;
  };
  const wards = ['ward "a"', 'b, c', 'dé', ' e', 'NA'];
  const rows = Array.from({ length: 200 + Math.floor(next() * 400) }, () => [
    (next() * 200 - 100).toString(),
    next() < 0.1 ? null : (next() * 1e-3).toExponential(),
    String(Math.floor(next() * 90)),
    next() < 0.1 ? null : (next() * 1000).toFixed(6),
    next() < 0.1 ? null : wards[Math.floor(next() * wards.length)],
    next() < 0.05 ? null : String(next() < 0.4),
    `20${10 + Math.floor(next() * 15)}-0${1 + Math.floor(next() * 9)}-1${Math.floor(next() * 10)}`,
  ]);
  const types: readonly TestType[] = [
    ...(['number', 'number', 'integer', 'decimal', 'text', 'truth', 'date'] as const),
  ];
  const names = ['y', 'x', 'age', 'dose', 'ward', 'smoker', 'seen'];
  return { columns: Object.fromEntries(names.map((name, k) => [name, types[k]])), rows };
}

const randomStudy: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'y ~ x + age + I(age^2) + dose:ward + smoker + seen',
  codebook: {
    y: { type: 'number', range: [-100, 100] },
    x: { type: 'number', range: [0, 1e-3] },
    age: { type: 'number', range: [0, 90] },
    dose: { type: 'number', range: [0, 1000] },
    ward: { type: 'category', levels: [' e', 'b, c', 'dé', 'ward "a"'] },
    smoker: { type: 'category', levels: ['FALSE', 'TRUE'] },
    seen: { type: 'number', unit: 'days since 1970-01-01', range: [14000, 21000] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
  disclosure: { profile: 'none' },
};

/** A published table of CSV as it would be in a database: its cells that are no numbers are NULL. */
function published(path: string, formula: string): { table: TestTable; formula: string } {
  const [head, ...lines] = readFileSync(path, 'utf8').trim().split(/\r?\n/);
  const separator = head.includes(';') ? ';' : ',';
  const names = head.split(separator).map((name) => name.replaceAll('"', '').replaceAll(' ', '_'));
  const isDate = names.map((name) => name === 'dteday');
  const rows = lines.map((line) =>
    line.split(separator).map((cell, k) => {
      if (isDate[k]) return cell;
      return cell === '' || cell === '?' || Number.isNaN(Number(cell)) ? null : cell;
    }),
  );
  const columns = Object.fromEntries(
    names.map((name, k) => [name, (isDate[k] ? 'date' : 'number') as TestType]),
  );
  return { table: { columns, rows }, formula };
}

const known = existsSync(join(data, 'uci-heart'))
  ? ([
      ['heart', 'uci-heart/sites/hungarian.csv', 'num ~ age + sex + chol + thalach + factor(cp)'],
      ['wine', winePath(), 'quality ~ alcohol + pH + density + I(alcohol^2)'],
      ['bike', 'bike-sharing/sites/yr0-season1.csv', 'cnt ~ temp + hum + windspeed + factor(hr)'],
    ] as const)
  : [];

function winePath(): string {
  const sites = join(data, 'wine-quality/sites');
  const [first = ''] = existsSync(sites) ? readdirSync(sites) : [];
  return `wine-quality/sites/${first}`;
}

const engines: readonly (readonly [string, () => Promise<TestDatabase>, boolean])[] = [
  ['PostgreSQL', postgresDatabase, true],
  ['DuckDB', () => duckdbDatabase(folder), true],
  ['ClickHouse', clickhouseDatabase, enduring && whyNoClickhouse() === undefined],
  ['MariaDB', mariadbDatabase, enduring && whyNoMariadb() === undefined],
];

describe.each(engines.filter(([, , here]) => here))('a table of %s', (kind, start) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await start();
  });
  afterAll(() => database?.stop());

  let count = 0;
  /** What a site would send, unsigned, from a file or an address. */
  async function sent(study: string, path: string): Promise<Buffer> {
    const out = join(folder, `${kind}-${++count}.suffice`);
    const home = join(folder, `home-${kind}-${count}`);
    const flags = ['--unsigned', '--site', 'north', '--out', out, '--home', home, '--yes'];
    const { code, stderr } = await runSuffice(
      ['contribute', study, path, ...flags, '--quiet', '--acknowledge', 'none'],
      { env: database.env },
    );
    if (code !== 0) throw new Error(stderr);
    return readFileSync(out);
  }

  async function exportOf(name: string): Promise<string> {
    const path = join(folder, `${kind}-${name}.csv`);
    const text = await database.exported(name);
    // ClickHouse writes NULL in its own way.
    writeFileSync(path, text.replaceAll('\\N', ''));
    return path;
  }

  it('sends the bytes of its own export, on random tables', async () => {
    for (let seed = 1; seed <= cases(10); seed++) {
      const address = await database.put('patients', randomTable(seed));
      const path = await exportOf('patients');
      // The words of PostgreSQL's export for a truth value; ClickHouse has numbers.
      const levels = { PostgreSQL: ['f', 't'], ClickHouse: ['0', '1'], MariaDB: ['0', '1'] }[
        kind
      ] ?? ['false', 'true'];
      const study = join(folder, `${kind}-${seed}.json`);
      const smoker = { type: 'category', levels };
      writeFileSync(
        study,
        JSON.stringify({ ...randomStudy, codebook: { ...randomStudy.codebook, smoker } }),
      );
      const bytes = await sent(study, address);
      expect(bytes.length).toBeGreaterThan(1000);
      expect(bytes.equals(await sent(study, path)), `seed ${seed}`).toBe(true);
    }
  });

  it.skipIf(known.length === 0).each(known)(
    'sends the bytes of its own export: %s',
    async (name, path, formula) => {
      const { table } = published(join(data, path), formula);
      const address = await database.put(name, table);
      const file = await exportOf(name);
      const study = join(folder, `${kind}-${name}.json`);
      const drafted = await runSuffice(
        ['study', 'init', formula, address, '--out', study, '--quiet', '--disclosure', 'none'],
        { env: database.env },
      );
      expect([drafted.code, drafted.stderr]).toEqual([0, '']);
      // The same study is drafted from the export.
      const again = `${study}-again.json`;
      await suffice(
        'study',
        'init',
        formula,
        file,
        '--out',
        again,
        '--quiet',
        '--disclosure',
        'none',
      );
      expect(JSON.parse(readFileSync(study, 'utf8'))).toEqual(
        JSON.parse(readFileSync(again, 'utf8')),
      );
      expect((await sent(study, address)).equals(await sent(study, file))).toBe(true);
    },
  );

  it('is read by fit, audit, study check and predict as its export is', async () => {
    const address = await database.put('patients', randomTable(3));
    const path = await exportOf('patients');
    const [read, exported] = await Promise.all(
      [address, path].map(async (one) => {
        const model = join(folder, `${kind}-model-${count++}.json`);
        const fit = ['fit', 'y ~ x + age + ward', one, '--json', '--save-model', model];
        const fitted = await runSuffice(fit, { env: database.env });
        expect(fitted.code, fitted.stderr).toBe(0);
        const said = await runSuffice(['predict', model, one], { env: database.env });
        expect(said.code, said.stderr).toBe(0);
        const { sites: _, ...report } = JSON.parse(fitted.stdout);
        return { report, predictions: said.stdout };
      }),
    );
    expect(read).toEqual(exported);
    const study = join(folder, `${kind}-checked.json`);
    writeFileSync(study, JSON.stringify({ ...randomStudy, formula: 'y ~ x + age + ward' }));
    for (const command of [['study', 'check'], ['audit']]) {
      const outcomes = await Promise.all(
        [address, path].map((one) =>
          runSuffice([...command, study, one, '--json'], { env: database.env }),
        ),
      );
      const [first, second] = outcomes.map(({ code, stdout }) => ({
        code,
        stdout: stdout.replaceAll(address, 'ROWS').replaceAll(path, 'ROWS'),
      }));
      expect(first).toEqual(second);
    }
  });

  it('is read with NULL in the only column that is asked for', async () => {
    const rows = [['1'], [null], ['3'], [null], ['5']];
    const address = await database.put('lone', { columns: { y: 'number' }, rows });
    const fitted = await runSuffice(['fit', 'y ~ 1', address, '--json'], { env: database.env });
    expect(JSON.parse(fitted.stdout).sites).toEqual([
      { name: 'lone', n: 3, dropped: 2, missing: { y: 2 } },
    ]);
  });
});
