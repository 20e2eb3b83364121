import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Discriminant, discriminant, discriminantText } from '../src/analysis/discriminant.ts';
import type { QueryInput } from '../src/analysis/query-input.ts';
import { reportOf as reportFor } from '../src/conclude.ts';
import { resolvedFit } from '../src/fusion/ridge-from-sums.ts';
import type { Report } from '../src/model/report.ts';
import { nodeHost } from '../src/node/compute/host.ts';
import { predictRows } from '../src/rows/predict.ts';
import { withinClasses } from '../src/solve/within-classes.ts';
import type { TableStudy } from '../src/study/study.ts';
import { chance } from './chance.ts';
import { temporaryFolder } from './cli.ts';
import { fitTable, type VectorTable } from './fitted.ts';
import { agreement, contribution } from './linear.ts';
import { expectRelative } from './relative.ts';
import { fitted } from './resolved-fit.ts';
import { studyOf, summaryOf, type Table, tableOf } from './tables.ts';

interface Case {
  readonly formula: string;
  readonly ridge: number;
  readonly levels: readonly string[];
  readonly terms: readonly string[];
  readonly prior: readonly number[];
  readonly means: readonly (readonly number[])[];
  readonly posterior: readonly (readonly number[])[];
}

// Made by test/vectors/lda.R.
const vectors: {
  readonly table: VectorTable;
  readonly cases: readonly Case[];
  readonly two: { readonly table: VectorTable; readonly distance: number; readonly auc: number };
} = JSON.parse(readFileSync(new URL('./vectors/lda.json', import.meta.url), 'utf8'));

const folder = temporaryFolder();

function coded(table: VectorTable): Table {
  const levels = { species: [...new Set(table.species as string[])].sort() };
  return tableOf(
    {
      ...(table as Record<string, number[]>),
      species: table.species.map((name) => levels.species.indexOf(name as string)),
    },
    levels,
  );
}

const iris = coded(vectors.table);

/** All that three sites' contributions say. */
function evidenceOf(study: TableStudy, table: Table, response = 0): QueryInput {
  const agreed = agreement(study);
  const sites = [0, 1, 2].map((site) =>
    Array.from({ length: table.rows }, (_, r) => r).filter((r) => r % 3 === site),
  );
  const { total, fit, parts } = fitted(
    agreed,
    sites.map((rows, k) => contribution(agreed, `site-${k}`, summaryOf(agreed, table, rows))),
  );
  if ('problem' in fit) throw new Error(fit.problem);
  return { study, design: agreed.design, total, fit, sites: parts, response };
}

function reportOf(evidence: QueryInput): Report {
  return reportFor(agreement(evidence.study), evidence.total, resolvedFit(evidence.fit), []);
}

function answered(evidence: QueryInput, label?: string): Discriminant {
  const found = discriminant(evidence, label);
  if ('problem' in found) throw new Error(found.problem);
  return found;
}

async function predicted(
  evidence: QueryInput,
  table: VectorTable,
  answers: readonly Discriminant[],
): Promise<Record<string, (number | string)[]>> {
  const path = join(folder, 'rows.csv');
  const names = Object.keys(table);
  const lines = table[names[0]].map((_, r) => names.map((name) => table[name][r] ?? 'NA').join());
  writeFileSync(path, `${[names.join(), ...lines].join('\n')}\n`);
  const columns: Record<string, (number | string)[]> = {};
  // As an earlier version wrote it: the report has no probabilities of its own.
  const { classes: _, ...report } = reportOf(evidence);
  const model = { study: evidence.study, report, answers: answers as never[] };
  await predictRows(
    { model, file: { path }, extrapolate: false },
    nodeHost,
    (blocks, all, levels) =>
      all.forEach((name, k) => {
        columns[name] ??= [];
        for (const value of blocks[k]) columns[name].push(levels[k]?.[value] ?? value);
      }),
  );
  return columns;
}

describe('MASS::lda from one contribution a site', () => {
  it.each(vectors.cases)('$formula, ridge $ridge', async (truth) => {
    const { formula, ridge, levels, posterior } = truth;
    const study = studyOf(iris, formula, { fusion: { kind: 'ridge', ridge } });
    const evidence = evidenceOf(study, iris);
    const found = answered(evidence);
    expect(found.terms).toEqual(truth.terms);
    expect(found.ridge).toBe(ridge);
    expect(found.classes.map(({ level }) => level)).toEqual(levels);
    found.classes.forEach(({ prior, means }, k) => {
      expectRelative(prior, truth.prior[k], 1e-14, 'prior');
      means.forEach((mean, j) => {
        expectRelative(mean, truth.means[k][j], 1e-12, 'mean');
      });
    });
    const columns = await predicted(evidence, vectors.table, [found]);
    levels.forEach((level, k) => {
      posterior[k].forEach((p, r) => {
        const got = columns[`.probability.${level}`][r] as number;
        expect(Math.abs(got - p), `row ${r}, ${level}`).toBeLessThan(1e-9);
        if (p > 1e-6) expectRelative(got, p, 1e-9, `row ${r}, ${level}`);
      });
    });
    const best = posterior[0].map((_, r) => {
      const shares = posterior.map((column) => column[r]);
      return levels[shares.indexOf(Math.max(...shares))];
    });
    expect(columns['.class']).toEqual(best);
  });

  it('tells how far two classes are apart', () => {
    const table = coded(vectors.two.table);
    const found = answered(evidenceOf(studyOf(table, 'species ~ sl + sw + pl + pw'), table));
    expectRelative(found.separation?.distance, vectors.two.distance, 1e-10, 'distance');
    expectRelative(found.separation?.auc, vectors.two.auc, 1e-12, 'AUC');
    expect(discriminantText(found)).toContain('distance 3.771 SD; AUC 0.9962 if the scores');
  });

  it('two classes: the direction is that of least squares (Fisher 1936)', () => {
    const table = coded(vectors.two.table);
    const evidence = evidenceOf(studyOf(table, 'species ~ sl + sw + pl + pw'), table, 1);
    const { classes } = answered(evidence);
    const slopes = evidence.fit.models[1].estimates.slice(1);
    const direction = classes[1].coefficients.map((b, j) => b - classes[0].coefficients[j]);
    direction.forEach((b, j) => {
      expectRelative(b / direction[0], slopes[j] / slopes[0], 1e-11, `term ${j}`);
    });
  });

  it('weights count as copies do, up to the rows left over', () => {
    const rows = 150;
    const copies = Array.from({ length: rows }, (_, r) => 1 + (r % 3));
    const cells = (name: string) => [...iris.cells[name]];
    const names = ['sl', 'sw', 'species'];
    const levels = { species: ['setosa', 'versicolor', 'virginica'] };
    const weighted = tableOf(
      { ...Object.fromEntries(names.map((name) => [name, cells(name)])), w: copies },
      levels,
    );
    const repeated = tableOf(
      Object.fromEntries(
        names.map((name) => [name, cells(name).flatMap((v, r) => Array(copies[r]).fill(v))]),
      ),
      levels,
    );
    const one = answered(
      evidenceOf(studyOf(weighted, 'species ~ sl + sw', { weights: 'w' }), weighted),
    );
    const other = answered(evidenceOf(studyOf(repeated, 'species ~ sl + sw'), repeated));
    const all = copies.reduce((sum, copy) => sum + copy, 0);
    const freedom = ((rows - 3) / rows) * (all / (all - 3));
    one.classes.forEach((got, k) => {
      const want = other.classes[k];
      expectRelative(got.n, want.n, 1e-12, 'n');
      got.means.forEach((mean, j) => {
        expectRelative(mean, want.means[j], 1e-12, 'mean');
        expectRelative(got.coefficients[j], want.coefficients[j] * freedom, 1e-10, 'coefficient');
      });
    });
  });

  it('leaves out aliased columns and levels without rows, with or without an intercept', () => {
    const levels = { species: ['no', 'setosa', 'versicolor', 'virginica'], g: ['a', 'b'] };
    const cells = Object.fromEntries(
      Object.keys(iris.cells).map((name) => [name, [...iris.cells[name]]]),
    );
    const table = tableOf(
      {
        ...cells,
        species: cells.species.map((code) => code + 1),
        g: cells.sl.map((_, r) => r % 2),
      },
      levels,
    );
    const found = answered(evidenceOf(studyOf(table, 'species ~ sl + sw + I(2*sl) + g'), table));
    expect(found.aliased).toEqual(['I(2 * sl)']);
    expect(found.empty).toEqual(['no']);
    const without = answered(evidenceOf(studyOf(table, 'species ~ sl + sw + g - 1'), table));
    expect(without.terms).toEqual(['sl', 'sw', 'ga']);
    expect(without.aliased).toEqual(['gb']);
    const contrast = ({ classes }: Discriminant, k: number) =>
      classes[k].coefficients[0] - classes[0].coefficients[0];
    for (const k of [1, 2]) expectRelative(contrast(without, k), contrast(found, k), 1e-10, 'sl');
  });

  it('wide tables: the scatter within classes is the one of the rows', () => {
    const [width, rows] = [305, 24];
    const { below } = chance(7);
    const names = Array.from({ length: width }, (_, j) => `x${j}`);
    const cells = names.map(() => Array.from({ length: rows }, () => below(64) / 64));
    const codes = Array.from({ length: rows }, (_, r) => r % 3);
    const columns = Object.fromEntries(names.map((name, j) => [name, cells[j]]));
    const table = tableOf({ ...columns, s: codes }, { s: ['x', 'y', 'z'] });
    const study = studyOf(table, 's ~ .', { fusion: { kind: 'ridge', ridge: 1 } });
    const evidence = evidenceOf(study, table);
    const members = ['x', 'y', 'z'].map((name, k) => ({ name, column: width + 1 + k }));
    const { equations } = withinClasses(evidence.total, members);
    const { matrix, equilibration, layout } = equations;
    const mean = (values: readonly number[], k: number) =>
      (values.reduce((sum, v, r) => sum + (codes[r] === k ? v : 0), 0) * 3) / rows;
    for (const [i, j] of [
      [0, 0],
      [7, 300],
      [304, 304],
      [120, 9],
    ]) {
      const truth = codes.reduce(
        (sum, k, r) => sum + (cells[i][r] - mean(cells[i], k)) * (cells[j][r] - mean(cells[j], k)),
        0,
      );
      const scale = layout.references[i + 1].scale * layout.references[j + 1].scale;
      const unit = scale / (equilibration[i] * equilibration[j]);
      expect(matrix.hi[i * matrix.width + j] * unit).toBeCloseTo(truth, 12);
    }
    expect(answered(evidence).classes).toHaveLength(3);
  });

  it('says what it cannot answer', () => {
    const number = discriminant(evidenceOf(studyOf(iris, 'sl ~ sw'), iris));
    expect(number).toMatchObject({ problem: 'no response is a category' });
    const bare = discriminant(evidenceOf(studyOf(iris, 'species ~ 1'), iris));
    expect(bare).toMatchObject({ problem: 'the formula has no terms' });
    const alone = discriminant(evidenceOf(studyOf(iris, 'I(sl > 100) ~ sw'), iris));
    expect(alone).toMatchObject({ problem: 'all rows have the same I(sl > 100)' });
  });

  it('is the same to the last bit however the rows are dealt to sites', () => {
    const cell = fc.integer({ min: -400, max: 400 }).map((k) => k / 16);
    const row = fc.tuple(cell, cell, fc.nat(2));
    const rows = fc.array(row, { minLength: 12, maxLength: 40 });
    fc.assert(
      fc.property(rows, (drawn) => {
        const all = [...drawn, ...[0, 1, 2].map((c) => [c, 0.5 - c, c] as const)];
        const tables = [all, all.toReversed()].map((some) =>
          tableOf(
            { a: some.map(([a]) => a), b: some.map(([, b]) => b), s: some.map(([, , s]) => s) },
            { s: ['x', 'y', 'z'] },
          ),
        );
        const [one, other] = tables.map((table) =>
          discriminant(evidenceOf(studyOf(table, 's ~ a + b'), table)),
        );
        expect(one).toEqual(other);
      }),
      { numRuns: 25 },
    );
  });
});

describe('a category on the left side', () => {
  it('is fitted from files, an indicator a level', async () => {
    const { responses } = await fitTable(folder, vectors.table, 'species ~ sl + sw');
    expect(responses?.map(({ response }) => response)).toEqual([
      'speciessetosa',
      'speciesversicolor',
      'speciesvirginica',
    ]);
    const sums = ['(Intercept)', 'sl', 'sw'].map((_, k) =>
      responses!.reduce((sum, { terms }) => sum + terms[k].estimate, 0),
    );
    expectRelative(sums[0], 1, 1e-12, 'intercepts');
    for (const slope of sums.slice(1)) expect(Math.abs(slope)).toBeLessThan(1e-13);
  });
});

describe('predictions of classes', () => {
  it('without a posterior are scores that add up to 1', async () => {
    const evidence = evidenceOf(
      studyOf(iris, 'species ~ sl + sw', { fusion: { kind: 'ridge', ridge: 2 } }),
      iris,
    );
    const ones = [1, 1, 1];
    const table = { sl: [null, 5, 6], sw: [3, 3, 2.5], pl: ones, pw: ones };
    const columns = await predicted(evidence, table, []);
    expect(Object.keys(columns)).toEqual([
      '.fitted.speciessetosa',
      '.fitted.speciesversicolor',
      '.fitted.speciesvirginica',
      '.class',
      '.score.setosa',
      '.score.versicolor',
      '.score.virginica',
    ]);
    expect(columns['.class'][0]).toBeNaN();
    for (const r of [1, 2]) {
      const fitted = ['setosa', 'versicolor', 'virginica'].map((level) =>
        Math.min(1, Math.max(0, columns[`.fitted.species${level}`][r] as number)),
      );
      const sum = fitted.reduce((s, f) => s + f, 0);
      expectRelative(columns['.score.setosa'][r] as number, fitted[0] / sum, 1e-12, 'score');
    }
  });

  it('of a family come with their link', async () => {
    const evidence = evidenceOf(studyOf(iris, 'I(pl > 4.5) ~ sl'), iris);
    const fitted = await predicted(evidence, vectors.table, []);
    const study: TableStudy = { ...evidence.study, fusion: { kind: 'glm', family: 'binomial' } };
    const means = [
      ['binomial', (link: number) => 1 / (1 + Math.exp(-link))],
      ['poisson', Math.exp],
    ] as const;
    for (const [family, mean] of means) {
      const made: Report = { ...reportOf(evidence), family };
      const got: number[][] = [];
      const { names } = await predictRows(
        {
          model: { study, report: made },
          file: { path: join(folder, 'rows.csv') },
          extrapolate: false,
        },
        nodeHost,
        (blocks) => got.push(...blocks.map((block) => [...block])),
      );
      expect(names).toEqual(['.fitted', '.link']);
      expect(got[1]).toEqual(fitted['.fitted']);
      expect(got[0]).toEqual(got[1].map(mean));
    }
  });

  it('refuses scores that are not of the study', async () => {
    const evidence = evidenceOf(studyOf(iris, 'species ~ sl + sw'), iris);
    const found = answered(evidence);
    const odd = [
      { ...found, terms: ['sl', 'zz'] },
      { ...found, classes: found.classes.map((one) => ({ ...one, level: 'rose' })) },
      { ...found, classes: found.classes.map((one) => ({ ...one, constant: Number.NaN })) },
    ];
    for (const answer of odd) {
      await expect(predicted(evidence, vectors.table, [answer])).rejects.toThrow('belong');
    }
  });
});
