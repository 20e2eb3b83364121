import { describe, expect, it } from 'vitest';
import { anova, anovaText } from '../src/analysis/anova.ts';
import { comparison, comparisonText } from '../src/analysis/comparison.ts';
import { contrast, contrastText } from '../src/analysis/contrast.ts';
import { covarianceAnswer } from '../src/analysis/covariance.ts';
import { orthogonalPolynomials } from '../src/analysis/orthogonal-polynomials.ts';
import { partialCorrelations } from '../src/analysis/partial-correlations.ts';
import { prediction } from '../src/analysis/prediction.ts';
import { standardized } from '../src/analysis/standardized.ts';
import { trend, trendText } from '../src/analysis/trend.ts';
import { errorsOf } from '../src/model/errors.ts';
import type { CoefficientErrors } from '../src/model/fit.ts';
import { plainInk } from '../src/text/text-table.ts';
import {
  type AnovaVector,
  analysis,
  analysisTable,
  answered,
  casesWith,
  declined,
  evidenceOf,
  evidenceOfCase,
  vectorTable,
} from './analysis-evidence.ts';
import { expectRelative } from './relative.ts';

const tolerance = 1e-9;
/** Far in the tail a p-value multiplies the error of F by the degrees of freedom. */
const tail = 1e-8;

function expectTail(got: number | undefined, p: number, what: string): void {
  expectRelative(got, p, p < 1e-30 ? tail : tolerance, what);
}

function expectRows(got: ReturnType<typeof anova>, truth: readonly AnovaVector[]): void {
  const { rows } = answered(got);
  for (const expected of truth) {
    const row = rows.find(({ term }) => term === expected.term)!;
    expect(row.df, row.term).toBe(expected.df);
    if (expected.df === 0) {
      expect(row).not.toHaveProperty('statistic');
      continue;
    }
    expectRelative(row.sumsq, expected.sumsq, tolerance, `sumsq of ${row.term}`);
    if (expected.statistic === null) continue;
    expectRelative(row.statistic, expected.statistic, tolerance, `F of ${row.term}`);
    if (expected.logp !== undefined && expected.logp! < -700) continue; // R's own p is 0 or denormal
    expectTail(row['p.value'], expected.p!, `p of ${row.term}`);
    if (expected.logp !== undefined) {
      expect(Math.abs(Math.log(row['p.value']!) - expected.logp!)).toBeLessThanOrEqual(tail);
    }
  }
}

describe('type III tests', () => {
  it.each(casesWith('anova'))('are car::Anova’s: %s', (_, one) => {
    const got = anova(evidenceOfCase(one));
    expectRows(got, one.anova!);
    expect(answered(got).rows.map(({ term }) => term)).toEqual(one.anova!.map(({ term }) => term));
  });

  it.each(casesWith('drop1'))('are drop1’s, aliased columns or not: %s', (_, one) => {
    expectRows(anova(evidenceOfCase(one)), one.drop1!);
  });

  it('are those of mtcars', () => {
    const table = vectorTable(analysis.mtcars.table);
    const levels = ['4', '6', '8'];
    const coded = {
      ...table,
      codebook: { ...table.codebook, cyl: { ...table.codebook.cyl, levels } },
    } as typeof table;
    const evidence = evidenceOf(coded, 'mpg ~ wt + hp + qsec + factor(cyl)');
    expectRows(anova(evidence), analysis.mtcars.anova);
  });

  it('tell p-values below 1e-200, and in words below 1e-308', () => {
    const sharp = analysis.cases.find(({ formula }) => formula.startsWith('sharp'))!;
    const answer = answered(anova(evidenceOfCase(sharp)));
    const least = answer.rows.find(({ term }) => term === 'f4')!['p.value']!;
    expect(least).toBeLessThan(1e-200);
    expect(anovaText(answer, plainInk)).toMatch(/x1 .*e-344/);
  });

  it('become Wald tests with errors that are not those of one variance', () => {
    const one = analysis.cases[0];
    const evidence = evidenceOfCase(one);
    const classical = errorsOf(evidence.fit, 0)!;
    const withErrors = (errors: CoefficientErrors) =>
      answered(anova({ ...evidence, fit: { ...evidence.fit, errors: [errors] } }));
    // The classical covariance in a Wald test is the F test again.
    const wald = withErrors({ ...classical, kind: 'clustered' });
    expect(wald.test).toBe('Wald F');
    wald.rows.forEach((row, k) => {
      const truth = one.anova![k];
      expect(row.df).toBe(truth.df);
      if (truth.statistic !== null) expectRelative(row.statistic, truth.statistic, 1e-9, row.term);
    });
    const normal = withErrors({ ...classical, freedom: Number.POSITIVE_INFINITY });
    expect(normal.test).toBe('Wald chi-square');
    expectRelative(normal.rows[4].statistic, 2 * one.anova![4].statistic!, 1e-9, 'χ² of f3');
    expect(anovaText(normal, plainInk)).toContain('Pr(>Chisq)');
  });

  it('are not for penalised coefficients', () => {
    const evidence = evidenceOf(analysisTable, 'y ~ x1 + f3', {
      fusion: { kind: 'ridge', ridge: 2 },
    });
    expect(declined(anova(evidence)).remedy).toContain('ridge of 0');
    expect(declined(contrast(evidence, ['x1']))).toEqual(declined(anova(evidence)));
    expect(declined(trend(evidence, 'f3'))).toEqual(declined(anova(evidence)));
    expect(declined(comparison(evidence, ['x1']))).toEqual(declined(anova(evidence)));
  });
});

describe('one of several responses', () => {
  it('is answered as if it were alone', () => {
    const both = evidenceOf(analysisTable, 'cbind(y, y2) ~ x1 * f3 + f4', { weights: 'w' });
    ['y', 'y2'].forEach((name, response) => {
      const alone = evidenceOf(analysisTable, `${name} ~ x1 * f3 + f4`, { weights: 'w' });
      const asked = { ...both, response };
      const at = { x1: 40, f3: 'c', f4: 'low' };
      expect(anova(asked)).toEqual(anova(alone));
      expect(comparison(asked, ['x1:f3'])).toEqual(comparison(alone, ['x1:f3']));
      expect(contrast(asked, ['x1', 'f4low'])).toEqual(contrast(alone, ['x1', 'f4low']));
      expect(trend(asked, 'f4')).toEqual(trend(alone, 'f4'));
      expect(prediction(asked, at, 0.95)).toEqual(prediction(alone, at, 0.95));
      expect(standardized(asked)).toEqual(standardized(alone));
      expect(partialCorrelations(asked)).toEqual(partialCorrelations(alone));
      expect(covarianceAnswer(asked)).toEqual(covarianceAnswer(alone));
    });
  });

  it('does not depend on how the rows were divided', () => {
    const [one, many] = [1, 7].map((sites) =>
      evidenceOf(analysisTable, 'y ~ x1 * f3 + f4', {}, sites),
    );
    expect(anova(many)).toEqual(anova(one));
    expect(trend(many, 'f4')).toEqual(trend(one, 'f4'));
  });
});

describe('a model against a part of itself', () => {
  it.each(casesWith('comparison'))('is R’s anova(): %s', (_, one) => {
    for (const truth of one.comparison!) {
      const got = answered(comparison(evidenceOfCase(one), truth.without));
      const what = truth.without.join();
      expect(got.df).toBe(truth.df);
      expectRelative(got.statistic, truth.statistic, tolerance, `F without ${what}`);
      expectTail(got['p.value'], truth.p, `p without ${what}`);
      for (const side of ['full', 'reduced'] as const) {
        const [line, expected] = [got[side], truth[side]];
        expect(line['df.residual']).toBe(expected.df_residual);
        expectRelative(line.deviance, expected.deviance, tolerance, 'deviance');
        expectRelative(line['r.squared'], expected.r2, tolerance, 'R²');
        expectRelative(line['adj.r.squared'], expected.adj_r2, tolerance, 'adjusted R²');
        expectRelative(line.AIC, expected.AIC, tolerance, 'AIC');
        expectRelative(line.BIC, expected.BIC, tolerance, 'BIC');
      }
      expect(comparisonText(got, plainInk)).toContain(`With and without ${truth.without[0]}`);
    }
  });

  const crossed = evidenceOfCase(analysis.cases[2]);

  it('takes an interaction in any order', () => {
    expect(comparison(crossed, ['f3:x1'])).toEqual(comparison(crossed, ['x1:f3']));
  });

  it('names what there is when a term is unknown', () => {
    expect(declined(comparison(crossed, ['f33'])).remedy).toBe('did you mean f3?');
    expect(declined(comparison(crossed, ['zebra'])).remedy).toContain('x1, f3, x2, x3, f4, x1:f3');
    expect(declined(comparison(crossed, [])).problem).toContain('no term');
  });

  it('does not drop what R would only write differently', () => {
    expect(declined(comparison(crossed, ['x1'])).problem).toContain('x1:f3 would be recoded');
  });

  it('may leave nothing but the intercept, but not nothing', () => {
    const all = answered(
      comparison(evidenceOfCase(analysis.cases[0]), ['x1', 'x2', 'x3', 'f3', 'f4']),
    );
    expect(all.reduced['r.squared']).toBe(0);
    const origin = evidenceOfCase(analysis.cases[4]);
    expect(declined(comparison(origin, ['x1', 'x2', 'f3'])).problem).toBe('no term would be left');
  });
});

describe('contrasts', () => {
  it.each(casesWith('contrast'))('are car::linearHypothesis: %s', (_, one) => {
    for (const truth of one.contrast!) {
      const got = answered(contrast(evidenceOfCase(one), truth.of));
      got.rows.forEach((row, k) => {
        const expected = truth.rows[k];
        expectRelative(row.estimate - row.against, expected.estimate, tolerance, row.contrast);
        expectRelative(row['std.error'], Math.sqrt(expected.variance), tolerance, 'std.error');
        expectRelative(row.statistic ** 2, expected.F, tolerance, 't²');
        if (expected.p > 0) expectTail(row['p.value'], expected.p, 'p');
      });
      if (truth.of.length === 1) {
        expect(got).not.toHaveProperty('joint');
        continue;
      }
      const { joint } = got;
      expect(joint!.df).toBe(truth.df);
      expect(joint!['df.residual']).toBe(truth.df_residual);
      expectRelative(joint!.statistic, truth.statistic, tolerance, 'joint F');
      if (truth.p > 0) expectTail(joint!['p.value'], truth.p, 'joint p');
      expect(contrastText(got, plainInk)).toContain('All at once, F:');
    }
  });

  const evidence = evidenceOfCase(analysis.cases[2]);
  const estimate = (text: string) => answered(contrast(evidence, [text])).rows[0].estimate;
  const terms = evidence.fit.models[0].terms;
  const b = (name: string) => evidence.fit.models[0].estimates[terms.indexOf(name)];

  it.each([
    ['x1:f3b', () => b('x1:f3b')],
    ['`x1:f3b` - x1', () => b('x1:f3b') - b('x1')],
    ['-x1 + (x2 - x3)/4', () => -b('x1') + (b('x2') - b('x3')) / 4],
    ['(Intercept) + 50x1', () => b('(Intercept)') + 50 * b('x1')],
    ['3 - 2*x1 == x2*.5', () => -2 * b('x1') - b('x2') / 2],
    ['x1--x2', () => b('x1') + b('x2')],
    ['(Intercept)*2', () => 2 * b('(Intercept)')],
  ])('read %s', (text, expected) => {
    expect(estimate(text)).toBeCloseTo(expected(), 12);
  });

  it.each([
    ['f3d = 0', 'did you mean'],
    ['x1 * x2', 'sums of coefficients times numbers'],
    ['x1 +', 'write it like'],
    ['x1 / x2', 'sums of coefficients times numbers'],
    ['2 = 3', 'name one of'],
    ['x11', 'did you mean x1'],
    ['(x1', 'write it like'],
  ])('do not read %s', (text, remedy) => {
    expect(declined(contrast(evidence, [text])).remedy).toContain(remedy);
  });

  it('that follow from others are tested one by one', () => {
    const got = answered(contrast(evidence, ['x2 = 0', '2*x2 = 0', 'x3 = 0']));
    expect(got).not.toHaveProperty('joint');
    expect(got.rows[0]['p.value']).toBeCloseTo(got.rows[1]['p.value'], 12);
  });

  it('have nothing to say about aliased columns', () => {
    const aliased = evidenceOfCase(analysis.cases[6]);
    expect(declined(contrast(aliased, ['I(x1 + 2 * x2) = 0'])).problem).toContain('combination');
  });
});

describe('trends', () => {
  it.each(casesWith('trend'))('are lm’s of an ordered factor: %s', (_, one) => {
    const got = answered(trend(evidenceOfCase(one), 'f4'));
    expect(got.rows.map(({ degree }) => degree)).toEqual(one.trend!.degree);
    got.rows.forEach((row, k) => {
      expectRelative(row.estimate, one.trend!.estimate[k], tolerance, row.degree);
      expectRelative(row['std.error'], one.trend!.se[k], tolerance, 'std.error');
      expectRelative(row.statistic, one.trend!.statistic[k], tolerance, 't');
      expectRelative(row['p.value'], one.trend!.p[k], tolerance, 'p');
    });
    expect(trendText(got, plainInk)).toContain('Trend over f4: none < low < mid < high');
  });

  it('run in the codebook’s order whatever the baseline', () => {
    const { f4 } = analysisTable.codebook;
    const turned = {
      ...analysisTable,
      codebook: { ...analysisTable.codebook, f4: { ...f4, baseline: 'mid' } },
    } as typeof analysisTable;
    const got = answered(trend(evidenceOf(turned, analysis.cases[0].formula), 'f4'));
    got.rows.forEach((row, k) => {
      expectRelative(row.estimate, analysis.cases[0].trend!.estimate[k], tolerance, row.degree);
      expectRelative(row['std.error'], analysis.cases[0].trend!.se[k], tolerance, 'std.error');
    });
  });

  it('need a category', () => {
    const evidence = evidenceOfCase(analysis.cases[2]);
    expect(declined(trend(evidence, 'x1')).remedy).toBe('ask for f3 or f4');
    expect(declined(trend(evidence, 'x1:f3')).problem).toContain('not a category');
    expect(declined(trend(evidence, 'f5')).remedy).toBe('did you mean f3 or f4?');
  });

  it.each(['5', '12'])('use contr.poly(%s)', (points) => {
    const got = orthogonalPolynomials(Number(points));
    analysis.poly[points].forEach((column, degree) => {
      column.forEach((value, i) => {
        expect(Math.abs(got[degree][i] - value)).toBeLessThanOrEqual(1e-13);
      });
    });
  });
});
