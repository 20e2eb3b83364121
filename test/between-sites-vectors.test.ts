import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { clusteredErrors } from '../src/between-sites/clustered-errors.ts';
import { fixedEffects } from '../src/between-sites/fixed-effects.ts';
import { heterogeneity } from '../src/between-sites/heterogeneity.ts';
import { influence } from '../src/between-sites/influence.ts';
import { resolveRandom } from '../src/between-sites/random-intercept.ts';
import { resolveRidge } from '../src/fusion/ridge.ts';
import type { Fit } from '../src/model/fit.ts';
import { withSiteColumns } from '../src/statistic/site-columns.ts';
import type { LinearStatistic } from '../src/statistic/statistic.ts';
import { type Columns, partsOfTable, vectorTable } from './between-sites.ts';
import { expectRelative } from './relative.ts';

interface Asked {
  readonly formula: string;
  readonly weighted: boolean;
}
interface Mixed extends Asked {
  readonly reml: boolean;
  readonly estimates: Readonly<Record<string, number>>;
  readonly covariance: readonly number[];
  readonly sigma: number;
  readonly variance: number;
  readonly logLik: number;
  readonly null: number;
  readonly modes: Readonly<Record<string, number>>;
  readonly errors: readonly number[];
}
interface Effects extends Asked {
  readonly statistic: number;
  readonly df: number;
  readonly residual: number;
  readonly p: number;
  readonly departures: Readonly<Record<string, number>>;
  readonly errors: readonly number[];
}
interface Robust extends Asked {
  readonly terms: readonly string[];
  readonly HC0: readonly number[];
  readonly HC1: readonly number[];
}
interface Between extends Asked {
  readonly chow: number;
  readonly df: number;
  readonly residual: number;
  readonly p: number;
  readonly terms: readonly {
    readonly term: string;
    readonly sites: readonly string[];
    readonly estimates: readonly number[];
    readonly errors: readonly number[];
    readonly estimate: number;
    readonly error: number;
    readonly Q: number;
    readonly p: number;
    readonly I2: number;
    readonly tau2: number;
  }[];
  readonly changes: Readonly<Record<string, readonly number[]>>;
  readonly cook: Readonly<Record<string, number>>;
}
interface Vectors {
  readonly table: Columns;
  readonly models: readonly Mixed[];
  readonly effects: readonly Effects[];
  readonly robust: readonly Robust[];
  readonly between: readonly Between[];
}

const vectors: Vectors = JSON.parse(
  readFileSync(new URL('vectors/across.json', import.meta.url), 'utf8'),
);
const siteOf = vectors.table.site as readonly string[];
const levels = { g: ['p', 'q', 'c'], site: ['a', 'b', 'c', 'd', 'e', 'f'] };
const table = vectorTable(vectors.table, levels);

const sent = ({ formula, weighted }: Asked) =>
  partsOfTable(table, siteOf, formula, weighted ? 'w' : undefined);

function solved(total: LinearStatistic): Fit {
  const found = resolveRidge(total, { kind: 'ridge', ridge: 0 });
  if ('problem' in found) throw new Error(found.problem);
  return found;
}

const title = (asked: Asked) => `${asked.formula}${asked.weighted ? ', weighted' : ''}`;

/** Zero is met by zero to the digits that the largest number of its kind leaves. */
function expectClose(
  got: readonly (number | null)[],
  expected: readonly number[],
  tolerance: number,
  what: string,
): void {
  expect(got.length, what).toBe(expected.length);
  const size = Math.max(...expected.map(Math.abs));
  expected.forEach((value, i) => {
    const error = Math.abs((got[i] ?? Number.NaN) - value);
    expect(error, `${what} ${i}: ${got[i]} for ${value}`).toBeLessThanOrEqual(tolerance * size);
  });
}

describe('a random intercept is that of lme4', () => {
  it.each(vectors.models.map((m) => [`${title(m)}, ${m.reml ? 'REML' : 'ML'}`, m] as const))(
    '%s',
    (_, expected) => {
      const { total, parts } = sent(expected);
      const found = resolveRandom(total, parts, expected.reml ? 'random' : 'random-ml');
      if ('problem' in found) throw new Error(found.problem);
      const effects = found.siteEffects!;
      const [model] = found.models;
      expect(model.terms).toEqual(Object.keys(expected.estimates));
      expectClose([...model.estimates], Object.values(expected.estimates), 1e-6, 'estimates');
      expectClose([...found.errors![0].covariance], expected.covariance, 1e-6, 'covariance');
      expectRelative(effects.variance, expected.variance, 1e-6, 'variance');
      expectRelative(effects.logLik, expected.logLik, 1e-10, 'logLik');
      const gain = 2 * (expected.logLik - expected.null);
      expect(Math.abs(effects.statistic - gain)).toBeLessThan(1e-8 * (1 + Math.abs(gain)));
      expect(effects.sites.map(({ site }) => site)).toEqual(Object.keys(expected.modes));
      const modes = effects.sites.map(({ estimate }) => estimate);
      const errors = effects.sites.map((site) => site['std.error']!);
      expectClose(modes, Object.values(expected.modes), 1e-6, 'modes');
      expectClose(errors, expected.errors, 1e-6, 'errors of the modes');
    },
  );
});

describe('fixed effects of the sites are those of lm(… + site)', () => {
  it.each(vectors.effects.map((e) => [title(e), e] as const))('%s', (_, expected) => {
    const { total, parts } = sent(expected);
    const found = fixedEffects(solved(withSiteColumns(parts)), solved(total), parts);
    if ('problem' in found) throw new Error(found.problem);
    expectRelative(found.statistic, expected.statistic, 1e-10, 'F');
    expectRelative(found['p.value'], expected.p, 1e-8, 'p');
    expect([found.df, found['df.residual']]).toEqual([expected.df, expected.residual]);
    const estimates = found.sites.map(({ estimate }) => estimate);
    const errors = found.sites.map((site) => site['std.error']!);
    expect(found.sites.map(({ site }) => site)).toEqual(Object.keys(expected.departures));
    expectClose(estimates, Object.values(expected.departures), 1e-10, 'departures');
    expectClose(errors, expected.errors, 1e-10, 'errors');
  });
});

describe('errors clustered by site are those of sandwich::vcovCL', () => {
  it.each(vectors.robust.map((r) => [title(r), r] as const))('%s', (_, expected) => {
    const withSites = expected.formula.includes('site');
    const formula = expected.formula.replace(' + site', '');
    const { total, parts } = sent({ ...expected, formula });
    const model = solved(withSites ? withSiteColumns(parts) : total);
    for (const kind of ['HC0', 'HC1'] as const) {
      const found = clusteredErrors(model, 0, parts, kind);
      if ('problem' in found) throw new Error(found.problem);
      expect(found.freedom).toBe(5);
      expectClose([...found.covariance], expected[kind], 1e-9, kind);
      const width = expected.terms.length;
      for (let i = 0; i < width; i++) {
        const at = i * (width + 1);
        expectRelative(found.covariance[at], expected[kind][at], 1e-9, expected.terms[i]);
      }
    }
  });
});

describe('heterogeneity is that of lm and metafor', () => {
  it.each(vectors.between.map((b) => [title(b), b] as const))('%s', (_, expected) => {
    const { total, parts } = sent(expected);
    const found = heterogeneity(total, parts, 0);
    if ('problem' in found) throw new Error(found.problem);
    expectRelative(found.chow?.statistic, expected.chow, 1e-10, 'F');
    expectRelative(found.chow?.['p.value'], expected.p, 1e-8, 'p');
    expect([found.chow?.df, found.chow?.['df.residual']]).toEqual([expected.df, expected.residual]);
    expect(found.without).toEqual([]);
    expect(found.terms.map(({ term }) => term)).toEqual(expected.terms.map(({ term }) => term));
    found.terms.forEach((term, k) => {
      const wanted = expected.terms[k];
      expect(term.sites.map(({ site }) => site)).toEqual(wanted.sites);
      term.sites.forEach(({ estimate, 'std.error': error }, s) => {
        expectRelative(estimate, wanted.estimates[s], 1e-9, `${term.term} at ${wanted.sites[s]}`);
        expectRelative(error, wanted.errors[s], 1e-9, `error of ${term.term}`);
      });
      expectRelative(term.estimate, wanted.estimate, 1e-9, 'mean');
      expectRelative(term['std.error'], wanted.error, 1e-9, 'error of the mean');
      expectRelative(term.Q, wanted.Q, 1e-9, 'Q');
      expectRelative(term['p.value'], wanted.p, 1e-8, 'p of Q');
      expectRelative(term.I2, wanted.I2, 1e-9, 'I²');
      expectRelative(term.tau2, wanted.tau2, 1e-9, 'τ²');
    });
  });
});

describe('influence is that of lm without each site', () => {
  it.each(vectors.between.map((b) => [title(b), b] as const))('%s', (_, expected) => {
    const { total, parts } = sent(expected);
    const found = influence(solved(total), 0, parts);
    if ('problem' in found) throw new Error(found.problem);
    for (const { site, changes, cook, largest } of found.sites) {
      expectClose(changes, expected.changes[site], 1e-9, site);
      expectRelative(cook, expected.cook[site], 1e-9, `Cook's distance of ${site}`);
      const sizes = expected.changes[site].map(Math.abs);
      expect(Math.abs(largest!.change)).toBeCloseTo(Math.max(...sizes), 9);
    }
  });
});
