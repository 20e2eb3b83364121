import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FailureError } from '../src/failure.ts';
import { reportJson } from '../src/model/report.ts';
import { fitFiles, fitStudy } from '../src/node/run/fit.ts';
import { federate, type InMemoryRows, type StudyOutline } from '../src/rows/federate-rows.ts';
import type { TableStudy } from '../src/study/study.ts';
import type { CellValue } from '../src/table/in-memory.ts';
import { printedBy } from './cli.ts';
import { expectRelative } from './relative.ts';

const study: TableStudy = JSON.parse(readFileSync('examples/penguins/study.json', 'utf8'));
const islands = ['biscoe', 'dream', 'torgersen'];
const paths = islands.map((island) => `examples/penguins/${island}.csv`);

/** The rows of a file as a program would hold them. */
function rowsOf(path: string): Record<string, CellValue>[] {
  const [header, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  const names = header.split(',');
  return lines.map((line) =>
    Object.fromEntries(
      line.split(',').map((cell, k) => {
        const isNumber = study.codebook[names[k]]?.type === 'number';
        return [names[k], isNumber && cell !== 'NA' && cell !== '' ? Number(cell) : cell];
      }),
    ),
  );
}

const penguins = Object.fromEntries(islands.map((island, k) => [island, rowsOf(paths[k])]));

/** What a call is refused with. */
function refusal(call: () => unknown): FailureError {
  try {
    call();
  } catch (error) {
    if (error instanceof FailureError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('federate', () => {
  it('gives the numbers of R’s lm on the pooled penguins', () => {
    // Made by test/vectors/result-page.R.
    const vector: { readonly names: string[]; readonly terms: number[][] } = JSON.parse(
      readFileSync('test/vectors/result-page.json', 'utf8'),
    );
    const { terms = [] } = federate(study, penguins).report;
    expect(terms.map(({ term }) => term)).toEqual(vector.names);
    terms.forEach((row, k) => {
      const ours = [row.estimate, row['std.error'], row.statistic, row['p.value']];
      ours.forEach((value, j) => {
        expectRelative(value, vector.terms[k][j], 1e-9, row.term);
      });
    });
  });

  it('gives the report of the same study over files, bit for bit', async () => {
    const { report } = await fitStudy(study, paths, undefined, { threads: 1 });
    expect(reportJson(federate(study, penguins).report)).toBe(reportJson(report));
  });

  it('takes columns as well as rows, and other columns are ignored', () => {
    const byColumn = Object.fromEntries(
      Object.entries(penguins).map(([island, rows]) => [
        island,
        Object.fromEntries(
          Object.keys(rows[0]).map((name) => [name, rows.map((row) => row[name])]),
        ),
      ]),
    );
    expect(federate(study, byColumn)).toEqual(federate(study, penguins));
  });

  it('needs a formula and a codebook; the rest is the study’s default', () => {
    const { formula, codebook } = study;
    const { report, ...outlined } = federate({ formula, codebook }, penguins);
    const { name: _, quorum: __, ...bare } = study;
    expect(outlined.study).toEqual(bare);
    expect(report.terms).toEqual(federate(study, penguins).report.terms);
  });

  it('shows what each site sent and their sum, named by the digest of the report', () => {
    const { contributions, total, report } = federate(study, penguins);
    expect(contributions.map(({ site }) => site)).toEqual(islands);
    expect(new Set(contributions.map(({ study: digest }) => digest)).size).toBe(1);
    expect(total?.values).toHaveLength(contributions[0].statistic.values.length);
    expect(report.sites.map(({ name, n }) => [name, n])).toEqual(
      islands.map((name, k) => [name, penguins[name].length - contributions[k].dropped]),
    );
  });

  it('answers questions, as conclude does', () => {
    const { answers } = federate(study, penguins, {
      query: { questions: [{ about: 'heterogeneity' }] },
    });
    expect(answers.map(({ about }) => about)).toEqual(['heterogeneity']);
  });

  it('keeps the exact sum of a private study to itself', () => {
    const privacy = { epsilon: 8, delta: 1e-6, unit: 'row' } as const;
    const found = federate({ ...study, privacy }, penguins);
    expect(found.report.privacy?.epsilon).toBe(8);
    expect(found).not.toHaveProperty('total');
    expect(found.report.sites).toEqual(islands.map((name) => ({ name })));
  });
});

describe('federate refuses, and says what to do', () => {
  const outline: StudyOutline = {
    formula: 'y ~ x',
    codebook: {
      y: { type: 'number', range: [0, 100] },
      x: { type: 'number', range: [0, 100] },
    },
  };
  const rows = Array.from({ length: 40 }, (_, k) => ({ x: k, y: (k * 37) % 41 }));

  it.each<[string, unknown, string, string]>([
    ['no sites', {}, 'there are no sites', 'under its name'],
    ['sites in a list', [rows], 'there are no sites', 'under its name'],
    ['a site without rows', { north: rows, south: [] }, 'south: no rows', 'leave the site out'],
    ['something else than rows', { north: 7 }, 'north: these are no rows', 'one object a row'],
    ['rows of numbers', { north: [[1, 2]] }, 'north: these are no rows', 'one object a row'],
    [
      'a missing column',
      { north: rows, south: [{ x: 1 }] },
      'south, column "y": no such column',
      'every column',
    ],
    [
      'columns of two lengths',
      { north: { x: [1, 2], y: [1] } },
      'north, column "x": 2 cells; other columns have 1',
      'every column',
    ],
    [
      'a value outside its range',
      { north: [...rows, { x: 1, y: 1000 }] },
      'north, row 41, column "y": outside the range 0 to 100',
      'check the unit',
    ],
    [
      'a text in a column of numbers',
      { north: [{ x: '1', y: 1 }] },
      'north, row 1, column "x": not a finite number',
      'null for a missing one',
    ],
  ])('%s', (_, sites, problem, remedy) => {
    const failure = refusal(() => federate(outline, sites as Record<string, InMemoryRows>));
    expect(failure.message).toBe(problem);
    expect(failure.remedy).toContain(remedy);
    expect(failure.kind).toBe('data');
  });

  it('a missing cell where that is asked for', () => {
    const sites = { north: [...rows, { x: 1, y: null }] };
    expect(federate(outline, sites).report.n).toBe(40);
    const failure = refusal(() => federate(outline, sites, { missing: 'refuse' }));
    expect(failure.message).toContain('row 41, column "y"');
  });

  it('a site that the study has no effect for', () => {
    const codebook = {
      ...outline.codebook,
      '.site': { type: 'category', levels: ['north', 'south'] },
    } as const;
    const own = { ...outline, formula: 'y ~ x + .site', codebook };
    expect(federate(own, { north: rows, south: rows }).report.n).toBe(80);
    const failure = refusal(() => federate(own, { north: rows, west: rows }));
    expect(failure.problem).toBe('the study has no effect for a site named west');
    expect(failure.remedy).toContain('north, south');
  });

  it('what is no study, by its key', () => {
    const wrong = { ...outline, codebook: { x: { type: 'numbr' } } } as unknown as StudyOutline;
    expect(refusal(() => federate(wrong, { north: rows })).message).toMatch(/codebook\.x/);
    const typo = { ...outline, formula: 'y ~ x +' };
    expect(refusal(() => federate(typo, { north: rows })).kind).toBe('formula');
  });

  it('what the disclosure rules forbid, and publishes nothing of it', () => {
    const few = { north: rows.slice(0, 4), south: rows.slice(4, 8) };
    const failure = refusal(() => federate(outline, few));
    expect(failure.kind).toBe('policy');
    expect(failure.message).toMatch(/^the total does not pass the disclosure rules: R/);
    expect(Object.keys(failure).sort()).toEqual(['kind', 'name', 'problem', 'remedy']);
    expect(federate(outline, few, { audience: 'owner' }).report.n).toBe(8);
  });
});

describe('fitFiles', () => {
  it('needs a formula and paths alone', async () => {
    const { report, study: drafted } = await fitFiles({
      formula: 'body_mass ~ flipper_length + sex',
      paths,
    });
    expect(report.n).toBe(333);
    expect(drafted).toMatchObject({ fusion: { kind: 'ridge', ridge: 0 }, arithmetic: 'exact' });
  });

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a formula alone', 'y ~ x'],
    ['no formula', { paths }],
    ['an empty formula', { formula: '', paths }],
    ['no paths', { formula: 'y ~ x' }],
    ['files in place of paths', { formula: 'y ~ x', files: paths }],
    ['one path that is no list', { formula: 'y ~ x', paths: paths[0] }],
    ['an empty list', { formula: 'y ~ x', paths: [] }],
    ['a path that is no text', { formula: 'y ~ x', paths: [7] }],
  ])('refuses %s in plain words', async (_, request) => {
    const failing = fitFiles(request as Parameters<typeof fitFiles>[0]);
    await expect(failing).rejects.toMatchObject({
      kind: 'usage',
      problem: expect.stringMatching(/^(fitFiles needs a formula|paths must be a list)/),
      remedy: expect.stringContaining("fitFiles({ formula: 'y ~ x', paths: ['a.csv', 'b.csv'] })"),
    });
  });

  it('is what examples/fit-files.ts shows, which runs', async () => {
    const output = await printedBy(() => import('../examples/fit-files.ts'));
    expect(output).toContain('speciesGentoo');
    expect(output).toContain('333 rows from 3 sites');
  });
});
