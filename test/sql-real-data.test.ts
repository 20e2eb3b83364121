import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agreement } from '../src/federate.ts';
import { dialects } from '../src/sql/dialects.ts';
import { summaryFrom } from '../src/sql/summary-from.ts';
import { sumsQuery } from '../src/sql/sums-query.ts';
import type { Codebook } from '../src/study/codebook.ts';
import type { TableStudy } from '../src/study/study.ts';
import { temporaryFolder } from './cli.ts';
import { enduring } from './endurance.ts';
import { hasSharedData, sharedLines } from './shared-data.ts';
import { ask, byReading } from './sql-asked.ts';
import { enginesHere, load, type RunningEngine } from './sql-engines.ts';
import type { TestStudy, TestTable, TestType } from './sql-tables.ts';

const folder = temporaryFolder();

interface DataSet {
  readonly name: string;
  readonly path: readonly string[];
  readonly formula: string;
  readonly codebook: Codebook;
  /** The types of columns that are not float64. */
  readonly types: Readonly<Record<string, TestType>>;
  readonly missing?: string;
}

const wine = [
  'fixed_acidity',
  'volatile_acidity',
  'citric_acid',
  'residual_sugar',
  'chlorides',
  'free_sulfur_dioxide',
  'total_sulfur_dioxide',
  'density',
  'pH',
  'sulphates',
  'alcohol',
];

const dataSets: readonly DataSet[] = [
  {
    name: 'heart',
    path: ['uci-heart', 'sites', 'cleveland.csv'],
    formula: 'num ~ age + sex + factor(cp) + trestbps + chol + thalach + oldpeak + ca + age:sex',
    codebook: {
      num: { type: 'number', range: [0, 4] },
      age: { type: 'number', range: [20, 90] },
      sex: { type: 'category', levels: ['0', '1'] },
      cp: { type: 'number', range: [1, 4], levels: ['1', '2', '3', '4'] },
      trestbps: { type: 'number', range: [60, 240] },
      chol: { type: 'number', range: [80, 700] },
      thalach: { type: 'number', range: [50, 220] },
      oldpeak: { type: 'number', range: [-3, 8] },
      ca: { type: 'number', range: [0, 3] },
    },
    types: { num: 'integer', sex: 'text' },
    missing: '?',
  },
  {
    name: 'wine',
    path: ['wine-quality', 'sites', 'red.csv'],
    formula: `quality ~ ${wine.join(' + ')} + I(alcohol^2)`,
    codebook: {
      quality: { type: 'number', range: [0, 10] },
      ...Object.fromEntries(
        wine.map((name) => [name, { type: 'number', range: [0, 400] } as const]),
      ),
    },
    types: { quality: 'integer' },
  },
  {
    name: 'bike',
    path: ['bike-sharing', 'sites', 'yr0-season1.csv'],
    formula: 'cnt ~ temp * workingday + hum + windspeed + factor(weathersit) + I(hr > 6)',
    codebook: {
      cnt: { type: 'number', range: [0, 1000] },
      temp: { type: 'number', range: [0, 1] },
      hum: { type: 'number', range: [0, 1] },
      windspeed: { type: 'number', range: [0, 1] },
      workingday: { type: 'category', levels: ['0', '1'] },
      weathersit: { type: 'number', range: [1, 4], levels: ['1', '2', '3', '4'] },
      hr: { type: 'number', range: [0, 23] },
    },
    types: {
      cnt: 'integer',
      workingday: 'integer',
      weathersit: 'integer',
      hr: 'integer',
      temp: 'decimal',
    },
  },
];

function madeOf({ path, formula, codebook, types, missing }: DataSet): TestStudy {
  const { header, lines } = sharedLines(...path);
  const names = header.split(',');
  const used = names.filter((name) => codebook[name] !== undefined);
  const columns = used.map((name) => ({ name, type: types[name] ?? 'double' }));
  const rows = lines.map((line): TestTable['rows'][number] => {
    const cells = line.split(',');
    return used.map((name) => {
      const cell = cells[names.indexOf(name)]!;
      return cell === missing ? null : cell;
    });
  });
  const study: TableStudy = {
    schema: 'suffice/study@1',
    ...{ formula, codebook, fusion: { kind: 'ridge', ridge: 0 }, arithmetic: 'exact' },
  };
  return { study, table: { columns, rows } };
}

/** In the check, the two that start at once. */
const engines = enginesHere().filter(
  ({ name }) => enduring || ['duckdb', 'postgres'].includes(name),
);

describe.skipIf(!hasSharedData).each(engines)('real data in $name', (engine) => {
  let running: RunningEngine;
  beforeAll(async () => {
    running = await engine.start();
  });
  afterAll(() => running?.stop());

  const wanted = enduring ? dataSets : dataSets.slice(0, engine.name === 'duckdb' ? 3 : 2);
  it.each(wanted)('$name: the digest of its rows', async (data) => {
    const made = madeOf(data);
    const { summary } = await byReading(made, folder, `${data.name}_${engine.name}`);
    await load(engine, running, data.name, made.table);
    const agreed = agreement(made.study);
    const answers = await ask(running, sumsQuery(agreed, dialects[engine.name], data.name));
    expect(summaryFrom(agreed, answers)).toEqual(summary);
    expect(summary.rows).toBeGreaterThan(290);
    // The types of the catalogue spare the way through texts, and change nothing.
    const types = Object.fromEntries(made.table.columns.map(({ name, type }) => [name, type]));
    const typed = sumsQuery(agreed, dialects[engine.name], data.name, { types });
    expect(summaryFrom(agreed, await ask(running, typed))).toEqual(summary);
  });
});
