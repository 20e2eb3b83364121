import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { resultOf } from '../src/conclude.ts';
import { createPredictor } from '../src/model/predict.ts';
import type { Report } from '../src/model/report.ts';
import { reportText } from '../src/model/report-text.ts';
import type { ReportedDiscriminant } from '../src/model/reported-classes.ts';
import { isSameReport } from '../src/model/same-report.ts';
import { canonicalJson } from '../src/study/canonical-json.ts';
import type { Fusion, TableStudy } from '../src/study/study.ts';
import { suffice, temporaryFolder } from './cli.ts';
import { agreement, collect, contribution, published } from './linear.ts';
import { expectRelative } from './relative.ts';
import { federated, studyOf, summaryOf, type Table, tableOf } from './tables.ts';

interface Case {
  readonly fusion: Fusion;
  readonly posterior: readonly (readonly number[])[];
}

interface Vector {
  readonly columns: readonly string[];
  readonly x: readonly (readonly number[])[];
  readonly y: readonly number[];
  readonly constant: readonly string[];
  readonly gcv: number;
  readonly rows: readonly number[];
  readonly cases: readonly Case[];
}

// Made by test/vectors/classifiers.py.
const vectors: Readonly<Record<'wine' | 'digits', Vector>> = JSON.parse(
  readFileSync(new URL('./vectors/classifiers.json', import.meta.url), 'utf8'),
);

function tableFrom({ columns, x, y }: Vector): Table {
  const cells = columns.map((name, j) => [name, x.map((row) => row[j])] as const);
  const levels = [...new Set(y)].sort((a, b) => a - b).map((k) => `k${k}`);
  return tableOf({ ...Object.fromEntries(cells), y: [...y] }, { y: levels });
}

const wine = tableFrom(vectors.wine);
const digits = tableFrom(vectors.digits);
const everyRow = ({ rows }: Table) => Array.from({ length: rows }, (_, r) => r);
/** Rows by class, as sites that share no class would have them. */
const apart = (table: Table) =>
  [0, 1, 2].map((site) => everyRow(table).filter((r) => table.cells.y[r] % 3 === site));

function reportOf(study: TableStudy, table: Table, sites = apart(table)): Report {
  const { report } = federated(study, table, sites);
  if (typeof report === 'string') throw new Error(report);
  return report;
}

/** Predictions of a model by name. */
function predictions(study: TableStudy, report: Report, table: Table): Record<string, number[]> {
  const predictor = createPredictor(study, report);
  const columns = predictor.variables.map((name) => table.cells[name]);
  const found = predictor.predict(
    { rows: table.rows, columns },
    { file: 'rows', rowOf: (r) => r + 1 },
  );
  return Object.fromEntries(predictor.names.map((name, k) => [name, [...found[k]]]));
}

const study = (table: Table, fusion: Fusion, formula = 'y ~ .') =>
  studyOf(table, formula, { fusion }) as TableStudy;
const rows = (['wine', 'digits'] as const).flatMap((name) =>
  vectors[name].cases.map((one) => ({ name, ...one, label: JSON.stringify(one.fusion) })),
);

function discriminantOf({ classifier }: Report): ReportedDiscriminant {
  if (classifier === undefined || classifier.kind === 'softmax') throw new Error('no discriminant');
  return classifier;
}

describe('classifiers from one contribution a site', () => {
  it.each(rows)('$name, $label: as from the rows', ({ name, fusion, posterior }) => {
    const table = name === 'wine' ? wine : digits;
    const asked = study(table, fusion);
    const report = reportOf(asked, table);
    if (name === 'wine') expect(reportOf(asked, table, [everyRow(table)])).toEqual(report);
    const found = predictions(asked, report, table);
    const { levels } = table.codebook.y as { levels: readonly string[] };
    vectors[name].rows.forEach((row, r) => {
      const got = levels.map((level) => found[`.probability.${level}`][row]);
      got.forEach((p, k) => {
        expect(Math.abs(p - posterior[r][k])).toBeLessThan(1e-8);
      });
      const best = got.indexOf(Math.max(...got));
      expect([found['.class'][row], found['.probability'][row]]).toEqual([best, got[best]]);
    });
    expect(report.classes?.[0].levels.map(({ n }) => n)).toEqual(
      levels.map((_, k) => table.cells.y.filter((y) => y === k).length),
    );
    if (fusion.kind !== 'ridge') expect(report.aliased).toEqual(vectors[name].constant);
  });

  it('sites send for every classifier what they send for a ridge', () => {
    const kinds: Fusion[] = [
      { kind: 'ridge', ridge: 1 },
      { kind: 'discriminant', shrinkage: 'gcv' },
      { kind: 'naive-bayes' },
    ];
    const [first, ...others] = kinds.map((fusion) => {
      const agreed = agreement(study(wine, fusion));
      const { statistic } = summaryOf(agreed, wine, everyRow(wine));
      return [canonicalJson(agreed.layout), statistic.values] as const;
    });
    for (const one of others) expect(one).toEqual(first);
  });

  it.each(['wine', 'digits'] as const)(
    '%s: GCV chooses the shrinkage, one for all classes',
    (name) => {
      const table = name === 'wine' ? wine : digits;
      const classifier = discriminantOf(
        reportOf(study(table, { kind: 'discriminant', shrinkage: 'gcv' }), table),
      );
      expect(classifier.rule).toBe('gcv');
      expectRelative(classifier.shrinkage, vectors[name].gcv, 2e-3, 'shrinkage');
      const [low, high] = classifier.flat ?? [1, 0];
      expect(low <= classifier.shrinkage && classifier.shrinkage <= high).toBe(true);
    },
  );

  it('a shrinkage by left-out sites needs the sites, and is one for all classes', () => {
    const asked = study(wine, { kind: 'discriminant', shrinkage: 'leave-one-site-out' });
    const mixed = [0, 1, 2].map((site) => everyRow(wine).filter((r) => r % 3 === site));
    const classifier = discriminantOf(reportOf(asked, wine, mixed));
    expect(classifier.rule).toBe('leave-one-site-out');
    expect(classifier.shrinkage).toBeGreaterThan(0);
    expect(classifier.shrinkage).toBeLessThan(1);
    const agreed = agreement(asked);
    expect(agreed.method.needsSites).toBe(true);
    const { total, contributions } = collect(agreed, [
      contribution(agreed, 'all', summaryOf(agreed, wine, everyRow(wine))),
    ]);
    expect(resultOf(agreed, { total, contributions }, [])).toHaveProperty('problem');
  });

  it('a ridge study answers for another classifier later, from the same total', () => {
    const ridge = study(wine, { kind: 'ridge', ridge: 1 });
    const agreed = agreement(ridge);
    const sent = published(
      agreed,
      collect(agreed, [contribution(agreed, 'all', summaryOf(agreed, wine, everyRow(wine)))]),
    );
    for (const method of [
      { kind: 'discriminant', shrinkage: 0.25 },
      { kind: 'naive-bayes' },
    ] as const) {
      const found = resultOf(agreed, sent, [], { method, questions: [{ about: 'anova' }] });
      if ('problem' in found) throw new Error(found.problem);
      const own = reportOf(study(wine, method), wine, [everyRow(wine)]);
      expect({ ...found.report, digest: '' }).toEqual({ ...own, digest: '' });
      expect(found.answers).toMatchObject([
        { about: 'anova', problem: expect.stringMatching(/no regression/) },
      ]);
    }
    const back = agreement(study(wine, { kind: 'naive-bayes' }));
    const regression = resultOf(
      back,
      { ...sent, total: { ...sent.total, layout: back.layout } },
      [],
      {
        method: { kind: 'ridge', ridge: 1 },
        questions: [{ about: 'description' }],
      },
    );
    expect(regression).toMatchObject({ answers: [{ about: 'description' }] });
  });

  it('a comparison has the probabilities of a category of two levels', () => {
    const binary = tableOf(
      {
        x0: [...wine.cells.x0],
        x1: [...wine.cells.x1],
        y: [...wine.cells.y].map((k) => (k === 2 ? 1 : 0)),
        z: [...wine.cells.y],
      },
      { y: ['no', 'yes'] },
    );
    const fusions: Fusion[] = [
      { kind: 'ridge', ridge: 2 },
      { kind: 'discriminant' },
      { kind: 'naive-bayes' },
    ];
    for (const fusion of fusions) {
      const [two, one] = ['y ~ x0 + x1', 'I(z > 1) ~ x0 + x1'].map((formula) => {
        const asked = study(binary, fusion, formula);
        return predictions(asked, reportOf(asked, binary), binary);
      });
      one['.probability.TRUE'].forEach((p, r) => {
        expectRelative(p, two['.probability.yes'][r], 1e-9, `row ${r}`);
      });
      expect(one['.class']).toEqual(two['.class']);
    }
  });

  it('a level without rows has probability 0, and no coefficients', () => {
    const table: Table = {
      ...wine,
      codebook: { ...wine.codebook, y: { type: 'category', levels: ['k0', 'k1', 'k2', 'no'] } },
    };
    for (const fusion of [
      { kind: 'ridge', ridge: 2 },
      { kind: 'discriminant' },
      { kind: 'naive-bayes' },
    ] as const) {
      const [more, less] = [table, wine].map((one) => {
        const asked = study(one, fusion);
        return predictions(asked, reportOf(asked, one), one);
      });
      expect(more['.probability.no']).toEqual(everyRow(wine).map(() => 0));
      more['.probability.k1'].forEach((p, r) => {
        expectRelative(p, less['.probability.k1'][r], 1e-9, `row ${r}`);
      });
    }
  });

  it('a report that an earlier version signed is found again, and no other is', () => {
    const asked = study(wine, { kind: 'ridge', ridge: 1 });
    const report = reportOf(asked, wine);
    const { classes, ...older } = report;
    expect([isSameReport(report, report), isSameReport(older, report)]).toEqual([true, true]);
    const [{ levels, ...one }] = classes!;
    const turned = { ...report, classes: [{ ...one, levels: levels.toReversed() }] };
    expect(isSameReport(turned, report)).toBe(false);
    expect(isSameReport({ ...older, n: 177 }, report)).toBe(false);
  });

  it('many columns are summed up in text, not printed', () => {
    const report = reportOf(study(wine, { kind: 'ridge', ridge: 1 }), wine);
    const [row] = report.responses![0].terms;
    const terms = Array<typeof row>(150).fill(row);
    const wide = { ...report, responses: report.responses!.map((one) => ({ ...one, terms })) };
    const text = reportText(wide);
    expect(text).toContain('Classes of y');
    expect(text).toContain('150 coefficients for each class');
    expect(text.split('\n').length).toBeLessThan(25);
    const { classes: _, responses: __, ...rest } = wide;
    const numbers = reportText({ ...rest, terms, glance: { nobs: 178 } });
    expect(numbers).toContain('… and 50 more coefficients');
    expect(numbers.split('\n').length).toBeLessThan(130);
  });

  it.each(['discriminant', 'naive-bayes'] as const)(
    'the text of %s names the columns and classes without a score',
    (kind) => {
      const rows = Array.from({ length: 60 }, (_, r) => r);
      const cells = { split: rows.map((r) => r % 2), x: rows.map((r) => (r * r) % 7) };
      const levels = { y: ['k0', 'k1', 'none'] };
      const table = tableOf({ ...cells, y: rows.map((r) => r % 2) }, levels);
      const text = reportText(reportOf(study(table, { kind }), table));
      expect(text).toContain('constant within each class or follow from the others: split\n');
      expect(text).toContain('never predicted, for lack of rows: none\n');
      const usual = reportText(reportOf(study(wine, { kind }), wine));
      expect(usual).not.toMatch(/not in the scores|never predicted/);
    },
  );

  it('refuses what has no classes, no intercept, or more on the left side', () => {
    const refused = (formula: string, table = wine) => {
      expect(() => agreement(study(table, { kind: 'naive-bayes' }, formula))).toThrow(
        /one category|an intercept/,
      );
    };
    for (const formula of ['x0 ~ x1', 'cbind(y, x0) ~ x1', 'y ~ x0 - 1']) refused(formula);
    const onlyOne = { ...wine, cells: { ...wine.cells, y: new Float64Array(wine.rows) } };
    const { report } = federated(study(onlyOne, { kind: 'discriminant' }), onlyOne, [
      everyRow(wine),
    ]);
    expect(report).toBe('all rows have the same y');
  });
});

describe('on the command line', () => {
  const folder = temporaryFolder();
  const names = ['x0', 'x1', 'x2', 'x6'];
  const paths = [0, 1, 2].map((site) => {
    const own = everyRow(wine).filter((r) => r % 3 === site);
    const lines = own.map((r) =>
      [...names.map((name) => wine.cells[name][r]), `k${wine.cells.y[r]}`].join(),
    );
    const path = join(folder, `site-${site}.csv`);
    writeFileSync(path, `${[[...names, 'y'].join(), ...lines].join('\n')}\n`);
    return path;
  });
  const model = join(folder, 'model.json');

  it('fits a classifier, and predicts the class and its probability', async () => {
    const choices = ['--classifier', 'discriminant', '--shrinkage', 'gcv', '--save-model', model];
    const fitted = await suffice('fit', 'y ~ .', ...paths, ...choices);
    expect(fitted.code).toBe(0);
    expect(fitted.stdout).toContain('Classes of y');
    expect(fitted.stdout).toMatch(/shrunk by 0\.\d+ \(chosen by GCV\)/);
    const { code, stdout } = await suffice('predict', model, paths[0], '--classes');
    expect(code).toBe(0);
    const [head, ...lines] = stdout.trim().split('\n');
    expect(head).toBe('.class,.probability');
    expect(lines).toHaveLength(60);
    for (const line of lines) expect(line).toMatch(/^k[012],(0\.\d+|1)$/);
  });

  it.each([
    ['--shrinkage belongs to --classifier discriminant', ['--shrinkage', '0.1']],
    ['must be a number from 0 to 1', ['--classifier', 'discriminant', '--shrinkage', '2']],
    ['--ridge belongs to --classifier ridge', ['--classifier', 'naive-bayes', '--ridge', '1']],
    ['one category on the left side', ['--classifier', 'naive-bayes'], 'x0 ~ x1'],
  ])('refuses: %s', async (problem, flags, formula = 'y ~ .') => {
    const out = join(folder, 'none.json');
    const refused = await suffice('fit', formula, ...paths, ...flags, '--save-model', out);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain(problem);
    expect([refused.stdout, existsSync(out)]).toEqual(['', false]);
  });

  it('refuses classes of a model of numbers', async () => {
    const numbers = join(folder, 'numbers.json');
    await suffice('fit', 'x0 ~ x1', paths[0], '--save-model', numbers);
    const refused = await suffice('predict', numbers, paths[0], '--classes');
    expect([refused.code, refused.stdout]).toEqual([3, '']);
    expect(refused.stderr).toContain('the model has no classes');
  });
});
