import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './cli.ts';
import { answersOf, fitTable, type VectorTable } from './fitted.ts';
import { expectRelative } from './relative.ts';

interface Answer {
  readonly terms: readonly string[];
  readonly estimate: readonly number[];
  readonly error: readonly (number | null)[];
  readonly statistic: readonly (number | null)[];
  readonly p: readonly (number | null)[];
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
  readonly aliased: readonly string[];
  readonly sigma: number | null;
  readonly r2: number | null;
  readonly adj_r2: number | null;
  readonly F?: number;
  readonly F_df?: number;
  readonly F_p?: number;
  readonly logLik: number | null;
  readonly AIC: number | null;
  readonly BIC: number | null;
  readonly deviance: number;
  readonly df_residual: number;
  readonly nobs: number;
  readonly dropped: number;
}

interface Case {
  readonly formula: string;
  readonly table: string;
  readonly weights?: string;
  readonly responses: readonly Answer[];
}

// Made by test/vectors/lm.R.
const vectors: {
  readonly tables: Readonly<Record<string, VectorTable>>;
  readonly cases: readonly Case[];
} = JSON.parse(readFileSync(new URL('./vectors/lm.json', import.meta.url), 'utf8'));

const tolerance = 1e-9;

/** Residuals that are all rounding: R's standard errors then mean nothing. */
function isPerfect({ sigma, estimate }: Answer): boolean {
  return sigma === null || sigma < 1e-12 * Math.max(...estimate.map(Math.abs));
}

describe('summary(lm()) of R, every number', () => {
  const folder = temporaryFolder();
  const run = ({ formula, table, weights }: Case, sites: number) =>
    fitTable(
      folder,
      vectors.tables[table],
      formula,
      weights === undefined ? {} : { weights },
      sites,
    );

  it.each(vectors.cases)('$formula ($table, weights $weights)', async (expected) => {
    const report = await run(expected, 2);
    const answers = answersOf(report);
    expect(answers).toHaveLength(expected.responses.length);
    expect(report.aliased).toEqual(expected.responses[0].aliased);
    if (answers.length === 1) {
      const dropped = report.sites.reduce((sum, { dropped = 0 }) => sum + dropped, 0);
      expect(dropped).toBe(expected.responses[0].dropped);
    }
    answers.forEach(({ terms, glance }, r) => {
      const truth = expected.responses[r];
      const is = (got: number | undefined, value: number | null | undefined, what: string) => {
        if (value === null || value === undefined) return;
        expectRelative(got, value, tolerance, what);
      };
      expect(terms.map(({ term }) => term)).toEqual(truth.terms);
      expect(glance['df.residual']).toBe(truth.df_residual);
      expect(glance.nobs).toBe(truth.nobs);
      if (isPerfect(truth)) {
        const scale = Math.max(...truth.estimate.map(Math.abs));
        terms.forEach(({ estimate }, k) => {
          expect(Math.abs(estimate - truth.estimate[k])).toBeLessThanOrEqual(1e-13 * scale);
        });
        expect(glance.deviance).toBeLessThanOrEqual(1e-24 * scale ** 2 * truth.nobs);
        if (truth.r2 !== null) expect(glance['r.squared']).toBeCloseTo(truth.r2, 13);
        return;
      }
      terms.forEach((row, k) => {
        is(row.estimate, truth.estimate[k], `estimate of ${row.term}`);
        is(row['std.error'], truth.error[k], `std.error of ${row.term}`);
        is(row.statistic, truth.statistic[k], `statistic of ${row.term}`);
        is(row['p.value'], truth.p[k], `p.value of ${row.term}`);
        is(row['conf.low'], truth.low[k], `conf.low of ${row.term}`);
        is(row['conf.high'], truth.high[k], `conf.high of ${row.term}`);
      });
      is(glance.sigma, truth.sigma, 'sigma');
      is(glance['r.squared'], truth.r2, 'r.squared');
      is(glance['adj.r.squared'], truth.adj_r2, 'adj.r.squared');
      is(glance.logLik, truth.logLik, 'logLik');
      is(glance.AIC, truth.AIC, 'AIC');
      is(glance.BIC, truth.BIC, 'BIC');
      is(glance.deviance, truth.deviance, 'deviance');
      is(glance.statistic, truth.F, 'F');
      is(glance['p.value'], truth.F_p, 'p of F');
      expect(glance.df).toBe(truth.F_df);
    });
  });

  it('a weight of zero takes a row out of every count, and is no missing cell', async () => {
    const { y, x, w0 } = vectors.tables.data;
    const kept = vectors.cases.find(({ weights }) => weights === 'w0')!.responses[0].nobs;
    const report = await fitTable(folder, { y, x, w0 }, 'y ~ x', {
      weights: 'w0',
      missing: 'refuse',
    });
    expect(report.n).toBe(kept);
    expect(report.sites.every(({ dropped }) => dropped === 0)).toBe(true);
  });
});
