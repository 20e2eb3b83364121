import { describe, expect, it } from 'vitest';
import { agreementMeaning } from '../src/model/disagreement.ts';
import type { Report } from '../src/model/report.ts';
import { reportText } from '../src/model/report-text.ts';
import {
  alignDecimals,
  grouped,
  pPhrase,
  probability,
  significant,
} from '../src/text/number-text.ts';
import { suffice } from './cli.ts';

describe('numbers as a person would write them', () => {
  it.each([
    [0, '0'],
    [21.6328, '21.633'],
    [-759.0612, '-759.06'],
    [123456.7, '123457'],
    [0.000123456, '0.00012346'],
    [0.0000123456, '1.235e-5'],
    [9.99999e11, '1.000e+12'],
    [Number.POSITIVE_INFINITY, 'Inf'],
    [Number.NaN, 'NaN'],
  ])('%d', (value, text) => {
    expect(significant(value)).toBe(text);
  });

  it.each([
    [Math.log(0.0315), '0.0315'],
    [-741 * Math.LN10 + Math.log(2.5), '2.50e-741'],
    [Math.log(9.9999e-21), '1.00e-20'],
    [0, '1.00'],
    [Number.NEGATIVE_INFINITY, '0'],
    [Number.NaN, 'NaN'],
  ])('p from its logarithm %d', (logP, text) => {
    expect(probability(logP)).toBe(text);
  });

  it('line up at the decimal point', () => {
    expect(alignDecimals(['1.5', '-22.25', '3', '1.2e-5'])).toEqual([
      '  1.5   ',
      '-22.25  ',
      '  3     ',
      '  1.2e-5',
    ]);
    expect(grouped(1234567)).toBe('1,234,567');
  });
});

describe('what a test of the sites says', () => {
  it.each([
    [0.009, 'in 0.9 of 100 studies. So the sites probably differ in truth'],
    [3e-69, 'in fewer than 1 of 10,000 studies. So the sites probably differ'],
    [0.3412, 'in 34 of 100 studies. So chance alone can explain how the sites differ.'],
  ])('p = %d', (p, text) => {
    expect(agreementMeaning({ 'p.value': p })).toContain(text);
  });

  it.each([
    [0, 'p < 1e-300'],
    [0.01234, 'p = 0.0123'],
  ])('and its p-value %d in a sentence', (p, text) => {
    expect(pPhrase(p)).toBe(text);
  });
});

describe('the report on a terminal', () => {
  const penguins = ['biscoe', 'dream', 'torgersen'].map((name) => `examples/penguins/${name}.csv`);

  it('is R’s summary, then the sites, then the arithmetic', async () => {
    const { stdout } = await suffice('fit', 'body_mass ~ bill_length + sex', ...penguins);
    // R 4.2.2, summary(lm(body_mass ~ bill_length + sex)) on the pooled rows.
    expect(stdout).toMatch(/\(Intercept\) +746\.06 +284\.85 +2\.619 +0\.00922 +\*\*/);
    expect(stdout).toContain('\nbaselines: sex: female\n');
    expect(stdout).toMatch(/sexmale +405\.24 +72\.818 +5\.565 +5\.43e-8 +\*\*\*/);
    expect(stdout).toContain('Residual standard error: 623.81 on 330 degrees of freedom');
    expect(stdout).toContain('Multiple R-squared: 0.4034,  Adjusted R-squared: 0.3998');
    expect(stdout).toMatch(/biscoe +163 +5 +missing: sex 5, body_mass 1, bill_length 1/);
    expect(stdout).toContain('333 rows from 3 sites; exact integers on a 44-bit grid');
  });

  it('shows aliased terms as R does', async () => {
    const { stdout } = await suffice('fit', 'body_mass ~ sex + I(bill_depth * 0)', ...penguins);
    expect(stdout).toMatch(/I\(bill_depth \* 0\) +NA/);
    expect(stdout).toContain('(1 not defined because of singularities:');
  });

  it('does not list hundreds of sites', () => {
    const sites = Array.from({ length: 100 }, (_, k) => ({ name: `s${k}`, n: 10, dropped: 0 }));
    const report: Report = {
      schema: 'suffice/report@1',
      formula: 'y ~ 1',
      n: 1000,
      sites,
      terms: [{ term: '(Intercept)', estimate: 1 }],
      glance: { 'r.squared': 0, deviance: 1, nobs: 1000 },
      arithmetic: 'exact',
      grid: 44,
      aliased: [],
      digest: 'sha256:0',
    };
    expect(reportText(report)).toContain('… and 80 more sites with 800 rows');
  });
});
