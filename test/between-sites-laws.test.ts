import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { clusteredErrors } from '../src/between-sites/clustered-errors.ts';
import { coverage } from '../src/between-sites/coverage.ts';
import { gaussianNorm } from '../src/between-sites/coverage-bound.ts';
import { fixedEffects, refuseFixedEffects } from '../src/between-sites/fixed-effects.ts';
import { influence } from '../src/between-sites/influence.ts';
import { resolveRandom } from '../src/between-sites/random-intercept.ts';
import { resolveRidge } from '../src/fusion/ridge.ts';
import type { Fit } from '../src/model/fit.ts';
import { unitPenalty } from '../src/solve/penalty.ts';
import { withSiteColumns } from '../src/statistic/site-columns.ts';
import type { LinearSiteStatistic } from '../src/statistic/site-statistics.ts';
import { type LinearStatistic, statistics } from '../src/statistic/statistic.ts';
import type { RidgeFusion } from '../src/study/study.ts';
import { type Columns, partsOfTable, sound, vectorTable } from './between-sites.ts';
import { chance } from './chance.ts';
import { expectRelative } from './relative.ts';
import { tableOf } from './tables.ts';

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`vectors/${name}.json`, import.meta.url), 'utf8'));
const columns: Columns = read('across').table;
const siteOf = columns.site as readonly string[];
const table = vectorTable(columns, {
  g: ['p', 'q', 'c'],
  site: ['a', 'b', 'c', 'd', 'e', 'f'],
});
const oneSite = siteOf.map(() => 'a');
const manyNames = siteOf.map((_, r) => `s${r}`);
const { below } = chance(11);
const uniform = () => (below(2 ** 30) + 0.5) / 2 ** 30;
const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());

function solved(total: LinearStatistic, fusion: Partial<RidgeFusion> = {}): Fit {
  return sound(resolveRidge(total, { kind: 'ridge', ridge: 0, ...fusion }));
}

/** A table of so many number columns over so many sites of `rows` rows each. */
function manySites(width: number, sites: number, rows: number) {
  const names = Array.from({ length: width }, (_, j) => `x${j}`);
  const owners = Array.from({ length: sites * rows }, (_, r) => `s${Math.floor(r / rows)}`);
  const cells = Object.fromEntries(names.map((name) => [name, owners.map(() => normal())]));
  const y = owners.map((_, r) => names.reduce((sum, name) => sum + cells[name][r], normal()));
  return partsOfTable(tableOf({ ...cells, y }), owners, `y ~ ${names.join(' + ')}`);
}

describe('a random intercept', () => {
  const optima: readonly {
    readonly formula: string;
    readonly weighted: boolean;
    readonly reml: boolean;
    readonly theta: number;
    readonly logLik: number;
    readonly estimates: readonly number[];
    readonly variance: number;
  }[] = read('across-mixed').models;
  it.each(optima.map((o) => [`${o.formula} ${o.weighted} ${o.reml}`, o] as const))(
    'reaches the optimum that 40 digits and dense matrices give: %s',
    (_, expected) => {
      const { formula, weighted, reml } = expected;
      const { total, parts } = partsOfTable(table, siteOf, formula, weighted ? 'w' : undefined);
      const found = sound(resolveRandom(total, parts, reml ? 'random' : 'random-ml'));
      const { icc, variance, logLik } = found.siteEffects!;
      expectRelative(icc! / (1 - icc!), expected.theta, 1e-10, 'theta');
      expectRelative(variance, expected.variance, 1e-10, 'variance');
      expectRelative(logLik, expected.logLik, 1e-13, 'logLik');
      expected.estimates.forEach((estimate, k) => {
        expectRelative(found.models[0].estimates[k], estimate, 1e-11, found.models[0].terms[k]);
      });
    },
  );

  it('is least squares where the sites do not differ', () => {
    const { total, parts } = partsOfTable(table, siteOf, 'v ~ x');
    const found = sound(resolveRandom(total, parts, 'random'));
    expect(found.siteEffects).toMatchObject({ statistic: 0, variance: 0, 'p.value': 1 });
    expect(found.siteEffects!.sites.every(({ estimate }) => estimate === 0)).toBe(true);
    const plain = solved(total).models[0];
    found.models[0].estimates.forEach((estimate, k) => {
      expectRelative(estimate, plain.estimates[k], 1e-15, plain.terms[k]);
    });
  });

  it('says why there is none: one site, one row a site, several responses', () => {
    const one = partsOfTable(table, oneSite, 'y ~ x');
    expect(resolveRandom(one.total, one.parts, 'random')).toHaveProperty('problem');
    const each = partsOfTable(table, manyNames, 'y ~ x');
    expect(resolveRandom(each.total, each.parts, 'random')).toHaveProperty('problem');
    const two = partsOfTable(table, siteOf, 'cbind(y, v) ~ x');
    expect(resolveRandom(two.total, two.parts, 'random')).toHaveProperty('problem');
  });

  it('leaves out a column that others make up, and one row sites count', () => {
    const doubled = tableOf({
      x: columns.x as number[],
      t: (columns.x as number[]).map((x) => 2 * x + 1),
      y: columns.y as number[],
    });
    const { total, parts } = partsOfTable(doubled, siteOf, 'y ~ x + t');
    const bare = partsOfTable(doubled, siteOf, 'y ~ x');
    const found = sound(resolveRandom(total, parts, 'random'));
    const alone = sound(resolveRandom(bare.total, bare.parts, 'random'));
    expect(found.aliased).toEqual(['t']);
    expectRelative(found.models[0].estimates[1], alone.models[0].estimates[1], 1e-12, 'x');
    expectRelative(found.siteEffects!.logLik, alone.siteEffects!.logLik!, 1e-12, 'logLik');
  });
});

/** b − b without the site by solving again, in standard errors. */
function refitted(model: Fit, rest: Fit, terms: readonly string[], spread: readonly number[]) {
  return terms.map((term, k) => {
    const [all, left] = [model, rest].map(({ models: [m] }) => m.estimates[m.terms.indexOf(term)]);
    return (all - left) / spread[k];
  });
}

describe('influence is the difference of two fits', () => {
  const choices: readonly [string, string | undefined, Partial<RidgeFusion>][] = [
    ['y ~ x + z + g', undefined, {}],
    ['y ~ x + z + g - 1', 'w', {}],
    ['y ~ x + z + g', undefined, { ridge: 50 }],
  ];
  it.each(choices)('%s %s %j', (formula, weights, fusion) => {
    const { total, parts } = partsOfTable(table, siteOf, formula, weights);
    const model = solved(total, fusion);
    const found = sound(influence(model, 0, parts));
    const { covariance } = sound(clusteredErrors(model, 0, parts, 'HC0'));
    const measured = sound(
      influence({ ...model, errors: [{ kind: 'clustered', covariance, freedom: 5 }] }, 0, parts),
    );
    parts.forEach(({ statistic }, s) => {
      const rest = solved(statistics(total.layout).subtract(total, statistic), fusion);
      const width = model.models[0].terms.length;
      const spread = found.terms.map((_, k) => Math.sqrt(covariance[k * (width + 1)]));
      const expected = refitted(model, rest, found.terms, spread);
      expected.forEach((change, k) => {
        expect(measured.sites[s].changes[k]).toBeCloseTo(change, 9);
      });
    });
  });

  it('of the slopes, where sites have fixed effects', () => {
    const { total, parts } = partsOfTable(table, siteOf, 'y ~ x + z');
    const model = solved(withSiteColumns(parts));
    const found = sound(influence(model, 0, parts));
    expect(found.terms).toEqual(['x', 'z']);
    const { unscaledVariances, residualSumOfSquares, rows, terms } = model.models[0];
    const sigma = Math.sqrt(residualSumOfSquares / (rows - terms.length));
    const spread = [1, 2].map((k) => sigma * Math.sqrt(unscaledVariances[k]));
    parts.forEach(({ site }, s) => {
      const rest = solved(withSiteColumns(parts.filter((part) => part.site !== site)));
      refitted(model, rest, ['x', 'z'], spread).forEach((change, k) => {
        expect(found.sites[s].changes[k]).toBeCloseTo(change, 9);
      });
    });
    expect(total.layout.columns).toEqual(['(Intercept)', 'x', 'z', 'y']);
  });

  it('is null where the rest cannot tell, and only there', () => {
    const only = tableOf(
      {
        x: columns.x as number[],
        y: columns.y as number[],
        k: siteOf.map((site, r) => (site === 'c' && r % 2 === 0 ? 1 : 0)),
      },
      { k: ['no', 'yes'] },
    );
    const { total, parts } = partsOfTable(only, siteOf, 'y ~ x + k');
    const found = sound(influence(solved(total), 0, parts));
    const c = found.sites.find(({ site }) => site === 'c')!;
    expect(found.terms).toEqual(['(Intercept)', 'x', 'kyes']);
    expect(c.changes.map((change) => change === null)).toEqual([false, false, true]);
    expect(c.cook).toBeUndefined();
    expect(found.sites.filter(({ changes }) => changes.includes(null))).toEqual([c]);
  });

  it('holds for 1,000 sites, and above the columns that double-double serves', () => {
    for (const [width, sites, rows] of [
      [20, 1000, 3],
      [80, 20, 12],
    ]) {
      const { total, parts } = manySites(width, sites, rows);
      const model = solved(total);
      const found = sound(influence(model, 0, parts));
      expect(found.sites.length).toBe(sites);
      const rest = solved(statistics(total.layout).subtract(total, parts[7].statistic));
      const { models } = model;
      const sigma = Math.sqrt(
        models[0].residualSumOfSquares / (models[0].rows - models[0].terms.length),
      );
      const spread = [...models[0].unscaledVariances].map((v) => sigma * Math.sqrt(v));
      const expected = refitted(model, rest, found.terms, spread);
      expected.forEach((change, k) => {
        expect(found.sites[7].changes[k]).toBeCloseTo(change, 8);
      });
    }
  });
});

describe('clustered errors', () => {
  it('under a ridge use the same inverse as the fit', () => {
    const { total, parts } = partsOfTable(table, siteOf, 'y ~ x + z - 1');
    const ridge = 30;
    const { covariance } = sound(clusteredErrors(solved(total, { ridge }), 0, parts, 'HC0'));
    // By hand, from the rows.
    const [x, z, y] = ['x', 'z', 'y'].map((name) => columns[name] as number[]);
    const sum = (f: (r: number) => number) => y.reduce((s, _, r) => s + f(r), 0);
    const a = sum((r) => x[r] ** 2) + ridge;
    const b = sum((r) => x[r] * z[r]);
    const c = sum((r) => z[r] ** 2) + ridge;
    const det = a * c - b * b;
    const [p, q] = [sum((r) => x[r] * y[r]), sum((r) => z[r] * y[r])];
    const beta = [(c * p - b * q) / det, (a * q - b * p) / det];
    let expected = 0;
    for (const site of new Set(siteOf)) {
      const own = (v: number[]) =>
        sum((r) => (siteOf[r] === site ? v[r] * (y[r] - beta[0] * x[r] - beta[1] * z[r]) : 0));
      expected += ((c * own(x) - b * own(z)) / det) ** 2;
    }
    expectRelative(covariance[0], expected, 1e-10, 'Var(x)');
  });

  it('need two sites', () => {
    const { total, parts } = partsOfTable(table, oneSite, 'y ~ x');
    expect(clusteredErrors(solved(total), 0, parts, 'HC1')).toHaveProperty('problem');
  });
});

describe('fixed effects', () => {
  it('leave out departures that the terms cannot tell from their own', () => {
    const level = tableOf({
      x: columns.x as number[],
      t: siteOf.map((site) => site.charCodeAt(0)),
      y: columns.y as number[],
    });
    const { total, parts } = partsOfTable(level, siteOf, 'y ~ x + t');
    const found = sound(fixedEffects(solved(withSiteColumns(parts)), solved(total), parts));
    expect(found.df).toBe(4);
    expect(found.sites).toEqual([]);
  });

  it('hold without an intercept beside a category, whose levels make one site redundant', () => {
    const without = partsOfTable(table, siteOf, 'y ~ x + g - 1');
    const withOne = partsOfTable(table, siteOf, 'y ~ x + g');
    const [a, b] = [without, withOne].map(({ total, parts }) =>
      sound(fixedEffects(solved(withSiteColumns(parts)), solved(total), parts)),
    );
    expectRelative(a.statistic, b.statistic, 1e-10, 'F');
    expect(a.sites.length).toBe(6);
    a.sites.forEach(({ estimate, 'std.error': error }, k) => {
      expectRelative(estimate, b.sites[k].estimate, 1e-9, 'departure');
      expectRelative(error, b.sites[k]['std.error']!, 1e-9, 'error');
    });
  });

  it('advise a random intercept where there are too many sites', () => {
    const { parts } = partsOfTable(table, siteOf, 'y ~ x');
    const many: LinearSiteStatistic[] = Array.from({ length: 1600 }, (_, k) => ({
      site: `s${k}`,
      statistic: parts[k % 6].statistic,
    }));
    expect(refuseFixedEffects(many)?.remedy).toMatch(/random/);
    expect(refuseFixedEffects(parts)).toBeUndefined();
  });
});

describe('coverage', () => {
  it('names the direction only one site covers, and the columns nobody tells apart', () => {
    const rows = 300;
    const owners = Array.from({ length: rows }, (_, r) => `s${r % 3}`);
    const at = (f: (r: number) => number) => owners.map((_, r) => f(r));
    const a = at(normal);
    const t = tableOf({
      a,
      b: at((r) => (r % 3 === 1 ? normal() : 0)),
      c: at(normal),
      twin: a.map((v) => 3 - v),
      y: at(normal),
    });
    const open = partsOfTable(t, owners, 'y ~ a + b + c');
    const found = sound(coverage(open.total, open.parts, 0));
    expect(found.alone.map(({ site, direction }) => [site, direction[0].term])).toEqual([
      ['s1', 'b'],
    ]);
    expect(found.alone[0].share).toBeGreaterThan(0.99);
    expect(found.sites.map(({ rank }) => rank)).toEqual([2, 3, 2]);
    expect(found.sites.map(({ alpha }) => alpha > 0)).toEqual([false, true, false]);
    expect(found.alpha).toBeGreaterThan(0.5);
    const closed = partsOfTable(t, owners, 'y ~ a + c + twin');
    const blind = sound(coverage(closed.total, closed.parts, 0));
    expect(blind).toMatchObject({ alpha: 0, rank: 2, columns: 3, uncovered: ['twin'] });
    expect(blind.bound).toBeUndefined();
  });

  it('counts the ranks of sites with fewer rows than columns', () => {
    const { total, parts } = manySites(40, 12, 6);
    const found = sound(coverage(total, parts, 0));
    expect(found.sites.every(({ rank, alpha }) => rank === 5 && alpha === 0)).toBe(true);
    expect(found.alpha).toBeGreaterThan(0);
  });

  it.each([
    ['y ~ x + z', undefined],
    ['y ~ x + z', 'w'],
    ['y ~ x + z - 1', undefined],
  ])('bounds the error of a standardized ridge by the spectrum: %s %s', (formula, weights) => {
    const { total, parts } = partsOfTable(table, siteOf, formula, weights);
    const model = solved(total);
    const { weightSum, matrix } = model.equations;
    const penalty = unitPenalty(model.equations, 'standardized').map((p) => 25 * p);
    const found = sound(coverage(total, parts, 0, penalty));
    const r = matrix.hi[1] / Math.sqrt(matrix.hi[0] * matrix.hi[matrix.width + 1]);
    const { residualSumOfSquares, rows, terms } = model.models[0];
    const ridge = 25;
    const spectrum = [1 - Math.abs(r), 1 + Math.abs(r)].map((value) => value * weightSum);
    const noise = Math.sqrt(residualSumOfSquares / (rows - terms.length));
    const variances = spectrum.map((value) => value / (value + ridge) ** 2);
    expectRelative(found.bound?.bias, ridge / (spectrum[0] + ridge), 1e-9, 'bias');
    expectRelative(found.bound?.noise, noise * gaussianNorm(variances, 0.95), 1e-9, 'noise');
    expectRelative(found.alpha, 1 - Math.abs(r), 1e-9, 'alpha');
  });
});
