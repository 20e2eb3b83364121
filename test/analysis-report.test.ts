import { describe, expect, it } from 'vitest';
import { errorsOf } from '../src/model/errors.ts';
import type { CoefficientErrors, Fit, SiteEffects } from '../src/model/fit.ts';
import { createReport, type Report, reportJson } from '../src/model/report.ts';
import { reportText } from '../src/model/report-text.ts';
import { waldSquare, waldTest } from '../src/model/wald.ts';
import { analysis, analysisTable, evidenceOf } from './analysis-evidence.ts';
import { expectRelative } from './relative.ts';

const { fit } = evidenceOf(analysisTable, 'y ~ x1 + x2 + x3 + f3 + f4');

function reportOf(changes: Partial<Fit>): Report {
  return createReport({ ...fit, ...changes }, { formula: 'y ~ x', sites: [], digest: 'sha256:0' });
}

function errors(kind: CoefficientErrors['kind'], freedom: number, factor: number): Partial<Fit> {
  const covariance = errorsOf(fit, 0)!.covariance.map((entry) => entry * factor);
  return { errors: [{ kind, covariance, freedom }] };
}

describe('a report says what its errors assume', () => {
  const plain = reportOf({});

  it('one variance for all rows, unless told otherwise', () => {
    expect(plain.errors).toBe('classical');
    expect(plain).not.toHaveProperty('freedom');
    expect(reportText(plain)).toMatch(/Std. Error +t value +Pr/);
  });

  it('clustered by site: t with their degrees of freedom, and a Wald F', () => {
    const report = reportOf(errors('clustered', 5, 4));
    expect([report.errors, report.freedom]).toEqual(['clustered', 5]);
    report.terms!.forEach((row, k) => {
      const before = plain.terms![k];
      expectRelative(row['std.error'], 2 * before['std.error']!, 1e-14, row.term);
      expectRelative(row.statistic, before.statistic! / 2, 1e-13, row.term);
      const reach = 2.5705818356363146; // qt(0.975, 5)
      expectRelative(row['conf.high']! - row.estimate, reach * row['std.error']!, 1e-11, row.term);
    });
    // R 4.2.2: 2 * pt(-1.9, 5), so that a p-value is looked up in t with 5.
    const shifted = waldTest(1.9 ** 2, 1, 5);
    expectRelative(shifted['p.value'], 0.115863304101328, 1e-12, 'p of 1.9 on 5');
    expectRelative(report.glance!.statistic, plain.glance!.statistic! / 4, 1e-9, 'Wald F');
    expect(report.glance!['r.squared']).toBe(plain.glance!['r.squared']);
    const text = reportText(report);
    expect(text).toContain('standard errors are clustered by site');
    expect(text).toMatch(/Wald F-statistic: \S+ on 8 and 5 DF/);
  });

  it('clustered with too few sites: errors, but no F of all slopes', () => {
    const width = fit.models[0].terms.length;
    const covariance = new Float64Array(width * width).fill(1); // of rank one, as from two sites
    const report = reportOf({ errors: [{ kind: 'clustered', covariance, freedom: 1 }] });
    expect(report.glance).not.toHaveProperty('statistic');
    expect(report.glance).not.toHaveProperty('p.value');
    expect(report.terms![1]['std.error']).toBe(1);
  });

  it('normal where freedom has no end', () => {
    const report = reportOf(errors('classical', Number.POSITIVE_INFINITY, 1));
    expect(report.freedom).toBe('normal');
    const [row] = report.terms!;
    const reach = 1.959963984540054;
    expectRelative(row['conf.high']! - row.estimate, reach * row['std.error']!, 1e-12, 'reach');
    expect(reportText(report)).toMatch(/z value +Pr\(>\|z\|\)/);
  });
});

describe('sites with intercepts of their own', () => {
  const sites = ['north', 'south'].map((site, k) => ({
    site,
    estimate: k - 0.5,
    'std.error': 0.2,
  }));

  it('fixed: an F test and each departure', () => {
    const siteEffects: SiteEffects = {
      kind: 'fixed',
      statistic: 4.5,
      df: 1,
      'df.residual': 110,
      'p.value': 0.0361,
      sites,
    };
    const report = reportOf({ siteEffects });
    expect(report.siteEffects).toBe(siteEffects);
    expect(report.glance).toHaveProperty('r.squared');
    const text = reportText(report);
    expect(text).toContain('An intercept for each site\nF-statistic: 4.500 on 1 and 110 DF');
    expect(text).toMatch(/south +0\.50000 +0\.20000/);
  });

  it('random: variances and likelihood, no R², no F', () => {
    const siteEffects: SiteEffects = {
      kind: 'random',
      statistic: 9,
      df: 1,
      'p.value': 0.00135,
      variance: 2,
      icc: 0.25,
      logLik: -321.5,
      sites,
    };
    const report = reportOf({
      siteEffects,
      ...errors('classical', Number.POSITIVE_INFINITY, 1),
    });
    expect(Object.keys(report.glance!).sort()).toEqual(['AIC', 'BIC', 'logLik', 'nobs', 'sigma']);
    expect(report.glance!.AIC).toBe(643 + 2 * 11);
    const text = reportText(report);
    expect(text).toContain('Variance between sites: 2.0000 (25.0 % of all)');
    expect(text).toContain('Likelihood ratio against equal sites: 9.000,  p-value: 0.00135');
    expect(text).not.toContain('R-squared');
  });
});

describe('a lasso', () => {
  const [model] = fit.models;
  const estimates = model.estimates.map((value, k) => (k === 2 || k === 5 ? 0 : value));
  const { factored: _, ...solution } = fit.solution;
  const lasso: Partial<Fit> = {
    solution,
    lasso: { lambda: 0.4, mix: 1 },
    models: [{ ...model, estimates, effectiveSlopes: Number.NaN }],
  };

  it('has estimates alone, and counts those that are not zero', () => {
    const report = reportOf(lasso);
    expect(report.lasso).toEqual({ lambda: 0.4, mix: 1, rule: 'given', nonzero: 6 });
    expect(report).not.toHaveProperty('ridge');
    expect(report).not.toHaveProperty('errors');
    for (const row of report.terms!) expect(Object.keys(row)).toEqual(['term', 'estimate']);
    const text = reportText(report);
    expect(text).toContain('Lasso: lambda 0.40000 (given)\n6 of 8 slopes are not zero');
    expect(text).not.toContain('Std. Error');
  });

  it('chosen by leaving out sites says so', () => {
    const curve = [{ ridge: 0.4, score: 1, error: 0.1 }];
    const report = reportOf({
      ...lasso,
      lasso: { lambda: 0.4, mix: 0.5 },
      chosen: {
        rule: 'leave-one-site-out',
        ridge: 0.4,
        score: 1,
        curve,
        minimum: 0.3,
        flat: [0.2, 0.4],
      },
    });
    expect(report.selection).toEqual(curve);
    expect(reportText(report)).toContain(
      'Elastic net of mix 0.5: lambda 0.40000 (chosen by leaving out one site at a time)',
    );
  });
});

describe('a ridge preferred over the minimum', () => {
  it('says where the minimum is', () => {
    const report = reportOf({
      ridge: 4,
      penalty: fit.penalty.map(() => 0.01),
      chosen: {
        rule: 'k-fold',
        ridge: 4,
        score: 1,
        curve: [],
        minimum: 1.5,
        flat: [0.25, 4],
      },
    });
    expect(reportText(report)).toContain(
      'between 0.250 and 4.00 the score hardly changes; it is smallest at 1.5000',
    );
  });
});

describe('a logistic regression', () => {
  const glm = { family: 'binomial', steps: 0, separated: [], responseSum: 40 } as const;
  const binomial = (deviation: number): Report =>
    reportOf({
      ...errors('classical', Number.POSITIVE_INFINITY, 1),
      glm: { ...glm, deviation },
    });

  it('has z values and a likelihood, and nothing of a linear fit', () => {
    const report = reportOf({
      ...errors('classical', Number.POSITIVE_INFINITY, 1),
      glm: { ...glm, steps: 1, deviation: 0, logLik: -60 },
    });
    expect(report.family).toBe('binomial');
    expect(report.glance).toEqual({
      nobs: 120,
      'df.residual': 111,
      logLik: -60,
      AIC: 138,
      BIC: 120 + 9 * Math.log(120),
      'null.deviance': expect.closeTo(152.763, 3), // −2(40 ln ⅓ + 80 ln ⅔)
      deviance: 120,
    });
    expect(report.deviation).toMatchObject({
      converged: true,
      advice: 'this is the pooled regression: no further round is needed',
    });
    const text = reportText(report);
    expect(text).toContain('z value');
    expect(text).not.toMatch(/R-squared|Residual standard error|F-statistic/);
    expect(text).toContain('Converged after 1 Newton step');
  });

  it('in one round has no likelihood, because no common coefficients have one', () => {
    const report = binomial(0.02);
    expect(Object.keys(report.glance!)).toEqual(['nobs', 'df.residual', 'null.deviance']);
    expect(reportText(report)).toContain(
      'One round: within 0.020 standard errors of the pooled regression in 99 of 100 studies',
    );
    expect(report.deviation!.advice).toBe(
      'another round would move no coefficient by more than this',
    );
  });

  it('names what its rows may be separated by, at any distance', () => {
    const report = reportOf({
      ...errors('classical', Number.POSITIVE_INFINITY, 1),
      glm: { ...glm, deviation: 0.001, separated: ['x2'] },
    });
    expect(report.deviation!.advice).toContain('the coefficient of x2 may have no finite estimate');
    expect(report.terms!.filter((row) => row['std.error'] === undefined)).toEqual([
      { term: 'x2', estimate: expect.any(Number) },
    ]);
  });

  it('asks for another round where a reader would notice', () => {
    expect(binomial(0.3).deviation!.advice).toBe(
      'another round, one Newton step from here, would bring it much closer (suffice study refine)',
    );
  });

  it('of counts has no deviance, which the sites did not send', () => {
    const report = reportOf({
      ...errors('classical', Number.POSITIVE_INFINITY, 1),
      glm: { ...glm, family: 'poisson', deviation: 0 },
    });
    expect(report.glance).not.toHaveProperty('deviance');
    expect(JSON.parse(reportJson(report)).family).toBe('poisson');
  });
});

describe('dᵀV⁻¹d', () => {
  it('is a sum of squares where V is diagonal, and unknown where V is singular', () => {
    expect(waldSquare([2, 3], Float64Array.of(4, 0, 0, 9))).toBeCloseTo(2, 14);
    expect(waldSquare([1, 1], Float64Array.of(1, 1, 1, 1))).toBeUndefined();
    expect(waldSquare([1], Float64Array.of(0))).toBeUndefined();
  });

  it('is what R’s F of all slopes tests', () => {
    const { covariance, freedom } = errorsOf(fit, 0)!;
    const width = fit.models[0].terms.length;
    const slopes = width - 1;
    const block = new Float64Array(slopes * slopes);
    for (let i = 0; i < slopes; i++) {
      const row = (i + 1) * width + 1;
      block.set(covariance.subarray(row, row + slopes), i * slopes);
    }
    const square = waldSquare(fit.models[0].estimates.subarray(1), block)!;
    const { deviance, r2 } = analysis.cases[0].comparison![0].full;
    const explained = (deviance * r2) / (1 - r2);
    const truth = explained / slopes / (deviance / freedom);
    expectRelative(waldTest(square, slopes, freedom).statistic, truth, 1e-9, 'F');
  });
});
