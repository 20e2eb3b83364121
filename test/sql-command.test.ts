import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Audit } from '../src/disclosure/rule.ts';
import type { SqlAnswer, SqlQuery } from '../src/sql/sql-answer.ts';
import type { TableStudy } from '../src/study/study.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { load, type RunningEngine, testEngines } from './sql-engines.ts';
import { exported, seeded, type TestTable } from './sql-tables.ts';

const folder = temporaryFolder();
const inFolder = (name: string) => join(folder, name);
const random = seeded(7);
const normal = () => Array.from({ length: 12 }, random).reduce((a, b) => a + b) - 6;

const table: TestTable = {
  columns: [
    { name: 'person', type: 'text' },
    { name: 'age', type: 'double' },
    { name: 'sex', type: 'text' },
    { name: 'bp', type: 'double' },
  ],
  rows: Array.from({ length: 400 }, (_, k) => [
    `p${Math.floor(k / 2)}`,
    random() < 0.05 ? null : String(50 + 10 * normal()),
    random() < 0.5 ? 'F' : 'M',
    String(130 + 15 * normal()),
  ]),
};
const study: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'bp ~ age + sex + I(age^2)',
  codebook: {
    person: { type: 'id' },
    age: { type: 'number', range: [0, 120] },
    sex: { type: 'category', levels: ['F', 'M'] },
    bp: { type: 'number', range: [40, 260] },
  },
  fusion: { kind: 'ridge', ridge: 0 },
  arithmetic: 'exact',
};
const studyPath = inFolder('study.json');
const rowsPath = inFolder('clinic.csv');
const engine = testEngines.find(({ name }) => name === 'duckdb')!;

/** An answer as CSV, as people save it. */
const asCsv = ({ columns, rows }: SqlAnswer) =>
  `${[columns, ...rows].map((row) => row.map((cell) => cell ?? '').join(',')).join('\n')}\n`;

/** Flags of a contribution in a folder of its own; acknowledged as the audit asks. */
const into = (name: string, ...more: string[]) => [
  ...['--site', 'clinic', '--unsigned', '--home', inFolder(`home-${name}`)],
  ...['--out', inFolder(`${name}.suffice`), '--acknowledge', 'R6', '--json', ...more],
];

describe('the statistic as a query, by hand', () => {
  let running: RunningEngine;
  let files: readonly string[] = [];
  let answers: SqlAnswer[] = [];
  beforeAll(async () => {
    writeFileSync(studyPath, JSON.stringify(study));
    writeFileSync(rowsPath, exported(table));
    running = await engine.start();
    await running.run('create schema ward');
    await load(engine, running, 'ward.clinic', table);
    const printed = await suffice(
      ...['sql', studyPath, '--dialect', 'duckdb', '--table', 'ward.clinic', '--facts', '--json'],
    );
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    const { queries } = JSON.parse(printed.stdout) as { queries: SqlQuery[] };
    expect(queries.length).toBe(4);
    answers = [];
    for (const { sql, columns } of queries) {
      const answer = await running.run(sql);
      expect(answer.columns).toEqual(columns);
      answers.push(answer);
    }
    files = answers.map((answer, k) => {
      writeFileSync(inFolder(`answer-${k}.csv`), asCsv(answer));
      return inFolder(`answer-${k}.csv`);
    });
  });
  afterAll(() => running?.stop());

  it('gives the bytes of a contribution from the rows', async () => {
    const fromRows = await suffice('contribute', studyPath, rowsPath, ...into('rows'));
    expect(fromRows).toMatchObject({ code: 0 });
    const fromAnswers = await suffice(
      ...['contribute', studyPath, ...into('answers'), '--from-result', ...files],
    );
    expect(fromAnswers).toMatchObject({ code: 0 });
    expect(readFileSync(inFolder('answers.suffice'))).toEqual(
      readFileSync(inFolder('rows.suffice')),
    );
    const [rows, asked] = [fromRows, fromAnswers].map(
      ({ stdout }) => JSON.parse(stdout) as { audit: Audit; dropped: number },
    ) as [{ audit: Audit; dropped: number }, { audit: Audit; dropped: number }];
    expect(asked.dropped).toBe(rows.dropped);
    // R6 alone needs a second look at the rows; the others say the same.
    const without = ({ rules }: Audit) => rules.filter(({ rule }) => rule !== 'R6');
    expect(without(asked.audit)).toEqual(without(rows.audit));
    const [r6] = asked.audit.rules.filter(({ rule }) => rule === 'R6');
    expect(r6!.note).toMatch(/not measured/);
    expect(['warn', 'not-judged']).toContain(r6!.outcome);
  });

  it('reads JSON with all digits, as engines write it', async () => {
    const objects = answers.map(({ columns, rows }) => {
      const cells = columns.map((name, k) => {
        const cell = rows[0]![k] ?? null;
        const bare = cell !== null && /^-?[\d.]+$/.test(cell);
        return `${JSON.stringify(name)}:${bare ? cell : JSON.stringify(cell)}`;
      });
      return `{${cells.join(',')}}`;
    });
    writeFileSync(inFolder('answers.json'), `[${objects.join(',\n')}]`);
    const { code } = await suffice(
      ...['contribute', studyPath, ...into('json'), '--from-result', inFolder('answers.json')],
    );
    expect(code).toBe(0);
    expect(readFileSync(inFolder('json.suffice'))).toEqual(
      readFileSync(inFolder('answers.suffice')),
    );
  });

  it('refuses sums without the facts that the rules need, and writes nothing', async () => {
    const refused = await suffice(
      ...['contribute', studyPath, ...into('bare'), '--from-result', files[0]!],
    );
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toMatch(/need facts about the rows/);
    expect(refused.stderr).toMatch(/suffice sql --facts/);
    expect(() => readFileSync(inFolder('bare.suffice'))).toThrow('ENOENT');
  });

  it('cannot compare rows with an earlier release, and says so', async () => {
    const again = [...into('again', '--sequence', '2'), '--home', inFolder('home-rows')];
    const refused = await suffice('contribute', studyPath, ...again, '--from-result', ...files);
    expect(refused.stderr).toMatch(/R9/);
    expect(refused.code).not.toBe(0);
    expect(() => readFileSync(inFolder('again.suffice'))).toThrow('ENOENT');
    // Nor can a later release be compared with one that a database has summed.
    const later = [...into('later', '--sequence', '2'), '--home', inFolder('home-answers')];
    const next = await suffice('contribute', studyPath, rowsPath, ...later);
    expect(next.stderr).toMatch(/R9/);
    expect(next.code).not.toBe(0);
  });

  it('refuses a small level as it does in rows', async () => {
    await running.run(
      "create table small as select * from ward.clinic where sex = 'F' or person < 'p101'",
    );
    const printed = await suffice(
      ...['sql', studyPath, '--dialect', 'duckdb', '--table', 'small', '--facts', '--json'],
    );
    const { queries } = JSON.parse(printed.stdout) as { queries: SqlQuery[] };
    const paths: string[] = [];
    for (const [k, { sql }] of queries.entries()) {
      writeFileSync(inFolder(`small-${k}.csv`), asCsv(await running.run(sql)));
      paths.push(inFolder(`small-${k}.csv`));
    }
    const refused = await suffice(
      'contribute',
      studyPath,
      ...into('small'),
      '--from-result',
      ...paths,
    );
    expect(refused.code).toBe(5);
    expect(
      JSON.parse(refused.stdout).rules ?? JSON.parse(refused.stdout).audit.rules,
    ).toContainEqual(expect.objectContaining({ rule: 'R3', outcome: 'block' }));
    expect(() => readFileSync(inFolder('small.suffice'))).toThrow('ENOENT');
  });

  it('asks for one of the two', async () => {
    expect(await suffice('contribute', studyPath, ...into('none'))).toMatchObject({ code: 2 });
    const both = ['contribute', studyPath, rowsPath, ...into('both'), '--from-result', files[0]!];
    expect(await suffice(...both)).toMatchObject({ code: 2 });
  });

  it('writes the queries to a file for a person to run', async () => {
    const out = inFolder('queries.sql');
    const { stdout } = await suffice(
      ...['sql', studyPath, '--dialect', 'snowflake', '--facts', '--out', out],
    );
    expect(stdout).toMatch(/holds 4 queries for Snowflake/);
    expect(readFileSync(out, 'utf8')).toMatch(/from "your_table" as source/);
  });
});
