import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../src/model/report.ts';
import { nodeHost } from '../src/node/compute/host.ts';
import { reduceRows } from '../src/rows/reduce-job.ts';
import { openSource } from '../src/rows/sources.ts';
import { wordsOf } from '../src/statistic/layout.ts';
import { fractionBitsOf, packedIndex } from '../src/statistic/linear-layout.ts';
import { ringDoubleDouble } from '../src/statistic/ring.ts';
import { type LinearStatistic, rowCount } from '../src/statistic/statistic.ts';
import type { Codebook } from '../src/study/codebook.ts';
import { fitReport, temporaryFolder } from './cli.ts';
import { agreement, contribution } from './linear.ts';
import { expectRelative } from './relative.ts';
import { fitted } from './resolved-fit.ts';
import { hasSharedData, sharedJson, sharedPath } from './shared-data.ts';

/** What R's lm says of the pooled rows (data/…/reference.json). */
interface Reference {
  readonly id: string;
  readonly formula: string;
  readonly n_used: number;
  readonly coef: readonly {
    readonly term: string;
    readonly estimate: number;
    readonly se: number;
    readonly t: number;
    readonly p: number;
    readonly ci_low: number;
    readonly ci_high: number;
  }[];
  readonly sigma: number;
  readonly df_residual: number;
  readonly r2: number;
  readonly adj_r2: number;
  readonly F: number;
  readonly F_df1: number;
  readonly F_df2: number;
  readonly F_p: number;
  readonly rss: number;
  readonly loglik: number;
  readonly aic: number;
  readonly bic: number;
  readonly yty: number;
  readonly kappa_X_scaled: number;
  readonly vif: Readonly<Record<string, number>>;
}

const tolerance = 1e-9;

interface DataSet {
  readonly name: string;
  readonly files: readonly string[];
  /** Number columns that the references treat as categories, with their levels. */
  readonly categories: Readonly<Record<string, readonly string[]>>;
  /** Number columns and the ranges an analyst would state. */
  readonly ranges: Readonly<Record<string, readonly [number, number]>>;
  readonly missing?: readonly string[];
}

const dataSets: readonly DataSet[] = [
  {
    name: 'uci-heart',
    files: ['cleveland', 'hungarian', 'switzerland', 'va'],
    categories: { cp: ['1', '2', '3', '4'], restecg: ['0', '1', '2'] },
    ranges: {
      age: [18, 100],
      sex: [0, 1],
      trestbps: [0, 250],
      chol: [0, 700],
      fbs: [0, 1],
      thalach: [40, 250],
      exang: [0, 1],
      oldpeak: [-5, 10],
      num: [0, 4],
    },
    missing: ['?'],
  },
  {
    name: 'wine-quality',
    files: ['red', 'white'],
    categories: {},
    ranges: {
      fixed_acidity: [0, 20],
      volatile_acidity: [0, 2],
      citric_acid: [0, 2],
      residual_sugar: [0, 70],
      chlorides: [0, 1],
      free_sulfur_dioxide: [0, 300],
      total_sulfur_dioxide: [0, 500],
      density: [0.98, 1.04],
      pH: [2.5, 4.5],
      sulphates: [0, 2.5],
      alcohol: [5, 16],
      quality: [0, 10],
    },
  },
  {
    name: 'bike-sharing',
    files: [0, 1].flatMap((year) => [1, 2, 3, 4].map((season) => `yr${year}-season${season}`)),
    categories: {
      weathersit: ['1', '2', '3', '4'],
      hr: Array.from({ length: 24 }, (_, hour) => String(hour)),
    },
    ranges: {
      temp: [0, 1],
      hum: [0, 1],
      windspeed: [0, 1],
      holiday: [0, 1],
      workingday: [0, 1],
      cnt: [0, 1000],
    },
  },
];

function codebookOf({ categories, ranges, missing }: DataSet): Codebook {
  const marked = missing === undefined ? {} : { missing };
  return Object.fromEntries([
    ...Object.entries(ranges).map(([name, range]) => [name, { type: 'number', range, ...marked }]),
    ...Object.entries(categories).map(([name, levels]) => [
      name,
      { type: 'category', levels, ...marked },
    ]),
  ]);
}

/** The formula with factor() around the categories, as one writes it without a codebook. */
function withFactors(formula: string, { categories }: DataSet): string {
  return Object.keys(categories).reduce(
    (text, name) => text.replace(new RegExp(`\\b${name}\\b`), `factor(${name})`),
    formula,
  );
}

function expectReference(report: Report, reference: Reference, nameOf: (term: string) => string) {
  const is = (got: number | undefined, expected: number, what: string) =>
    expectRelative(got, expected, tolerance, what);
  const isProbability = (got: number | undefined, expected: number, what: string) => {
    if (expected === 0) expect(got, what).toBeLessThan(1e-300);
    else is(got, expected, what);
  };
  const terms = report.terms!;
  expect(terms.map((row) => row.term)).toEqual(reference.coef.map(({ term }) => nameOf(term)));
  reference.coef.forEach(({ term, estimate, se, t, p, ci_low, ci_high }, k) => {
    is(terms[k].estimate, estimate, `estimate of ${term}`);
    is(terms[k]['std.error'], se, `std.error of ${term}`);
    is(terms[k].statistic, t, `statistic of ${term}`);
    isProbability(terms[k]['p.value'], p, `p.value of ${term}`);
    is(terms[k]['conf.low'], ci_low, `conf.low of ${term}`);
    is(terms[k]['conf.high'], ci_high, `conf.high of ${term}`);
    if (term === '(Intercept)') expect(terms[k]).not.toHaveProperty('vif');
    else is(terms[k].vif, reference.vif[term], `vif of ${term}`);
  });
  const glance = report.glance!;
  is(glance.sigma, reference.sigma, 'sigma');
  is(glance['r.squared'], reference.r2, 'r.squared');
  is(glance['adj.r.squared'], reference.adj_r2, 'adj.r.squared');
  is(glance.statistic, reference.F, 'F');
  isProbability(glance['p.value'], reference.F_p, 'p of F');
  is(glance.deviance, reference.rss, 'deviance');
  is(glance.logLik, reference.loglik, 'logLik');
  is(glance.AIC, reference.aic, 'AIC');
  is(glance.BIC, reference.bic, 'BIC');
  is(report.condition, reference.kappa_X_scaled, 'condition');
  expect(glance.df).toBe(reference.F_df1);
  expect(glance['df.residual']).toBe(reference.F_df2);
  expect(glance['df.residual']).toBe(reference.df_residual);
  expect(glance.nobs).toBe(reference.n_used);
  expect(report.n).toBe(reference.n_used);
  expect(report.aliased).toEqual([]);
}

describe.skipIf(!hasSharedData).each(dataSets)('$name, from its sites', (data) => {
  const folder = temporaryFolder();
  const codebookFile = join(folder, 'codebook.json');
  const paths = data.files.map((file) => sharedPath(data.name, 'sites', `${file}.csv`));
  const references = hasSharedData ? sharedJson<Reference[]>(data.name, 'reference.json') : [];
  beforeAll(() => writeFileSync(codebookFile, JSON.stringify(codebookOf(data))));

  it.each(references)('$id with a codebook: every number R prints', async (reference) => {
    const report = await fitReport(reference.formula, paths, '--codebook', codebookFile);
    expectReference(report, reference, (term) => term);
    expect(report.sites.map((site) => site.name)).toEqual(data.files);
  });

  it.each(references)(
    '$id with factor() and no codebook: every number R prints',
    async (reference) => {
      const formula = withFactors(reference.formula, data);
      const markers = (data.missing ?? []).flatMap((marker) => ['--missing-marker', marker]);
      const nameOf = (term: string) =>
        term.replace(/^[a-z]+(?=\d+$)/, (name) =>
          name in data.categories ? `factor(${name})` : name,
        );
      expectReference(await fitReport(formula, paths, ...markers), reference, nameOf);
    },
  );

  it.each(references.filter(({ formula }) => !formula.includes('.site')))(
    '$id by the library: n and yᵀy of the total',
    async (reference) => {
      const agreed = agreement({
        schema: 'suffice/study@1',
        formula: reference.formula,
        codebook: codebookOf(data),
        fusion: { kind: 'ridge', ridge: 0 },
        arithmetic: 'exact',
      });
      const contributions = await Promise.all(
        paths.map(async (path, k) => {
          const source = await openSource(nodeHost, { path }, agreed.design.variables);
          const { study } = agreed;
          const site = { name: data.files[k] };
          const { sites } = await reduceRows(
            { kind: 'reduce', study, source, missing: 'drop', wholeFile: false, site },
            nodeHost,
            () => {},
          );
          return contribution(agreed, sites[0].name, sites[0].summary);
        }),
      );
      const { total } = fitted(agreed, contributions);
      expect(rowCount(total)).toBe(reference.n_used);
      expectRelative(responseSquare(total), reference.yty, tolerance, 'yty');
    },
  );
});

/** Σ y² in the user's units, for the last column of z. */
function responseSquare({ layout, values }: LinearStatistic): number {
  const last = layout.columns.length - 1;
  const { center, scale } = layout.references[last];
  const at = (i: number, j: number) =>
    ringDoubleDouble(values, wordsOf(layout), packedIndex(last + 1, i, j), fractionBitsOf(layout))
      .hi;
  return scale * scale * at(last, last) + 2 * center * scale * at(0, last) + center ** 2 * at(0, 0);
}

interface RidgeReference {
  readonly formula: string;
  readonly ridge: readonly {
    readonly lambda: number;
    readonly intercept: number;
    readonly coef: Readonly<Record<string, number>>;
    readonly edf_without_intercept: number;
    readonly rss: number;
    readonly gcv: number;
  }[];
}

// RSS + λ Σ (bⱼ SDⱼ)² with population SDs: MASS::lm.ridge's lambda, and glmnet's by λ·SD(y)/n.
describe.skipIf(!hasSharedData)('wine-quality under a ridge on standardised columns', () => {
  const paths = ['red', 'white'].map((site) => sharedPath('wine-quality', 'sites', `${site}.csv`));
  const { formula, ridge } = hasSharedData
    ? sharedJson<RidgeReference>('wine-quality', 'reference_ridge.json')
    : { formula: '', ridge: [] };
  it.each(ridge)('λ = $lambda', async (expected) => {
    const { lambda, intercept, coef } = expected;
    const report = await fitReport(formula, paths, '--ridge', String(lambda), '--standardize');
    const terms = report.terms!;
    expect(terms.map(({ term }) => term)).toEqual(['(Intercept)', ...Object.keys(coef)]);
    [intercept, ...Object.values(coef)].forEach((value, k) => {
      expectRelative(terms[k].estimate, value, 1e-8, terms[k].term);
    });
    expectRelative(report.glance!.deviance, expected.rss, 1e-8, 'deviance');
    expectRelative(report.ridge!.edf, expected.edf_without_intercept + 1, 1e-8, 'edf');
    expectRelative(report.ridge!.gcv, expected.gcv, 1e-8, 'gcv');
    expect(report.ridge!.value).toBe(lambda);
  });
});
