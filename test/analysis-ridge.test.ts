import { describe, expect, it } from 'vitest';
import { covarianceAnswer } from '../src/analysis/covariance.ts';
import { standardized } from '../src/analysis/standardized.ts';
import { errorsOf, standardErrors } from '../src/model/errors.ts';
import { createReport, type Report } from '../src/model/report.ts';
import { reportText } from '../src/model/report-text.ts';
import type { RidgeFusion } from '../src/study/study.ts';
import { answered, declined, evidenceOf, vectorsOf, vectorTable } from './analysis-evidence.ts';
import type { VectorTable } from './fitted.ts';
import { expectRelative } from './relative.ts';
import { hasSharedData, sharedJson, sharedLines } from './shared-data.ts';
import { tableOf } from './tables.ts';

const tolerance = 1e-9;

function reportOf(evidence: ReturnType<typeof evidenceOf>): Report {
  const context = { formula: evidence.study.formula, sites: [], digest: 'sha256:0' };
  return createReport(evidence.fit, context);
}

// Made by test/vectors/analysis-ridge.py from the table of ridge.R.
const { cases } = vectorsOf<{
  readonly cases: readonly {
    readonly ridge: number;
    readonly standardize: boolean;
    readonly weights: string | null;
    readonly formula: string;
    readonly edf: number;
    readonly estimates: readonly number[];
    readonly covariance: readonly (readonly number[])[];
  }[];
}>('analysis-ridge.json');
const table = vectorTable(vectorsOf<{ readonly table: VectorTable }>('ridge.json').table);

describe('the errors of a ridge', () => {
  it.each(cases)(
    'are numpy’s: $formula, λ = $ridge, standardize $standardize, weights $weights',
    ({ ridge, standardize, weights, formula, edf, estimates, covariance }) => {
      const evidence = evidenceOf(table, formula, {
        fusion: { kind: 'ridge', ridge, standardize },
        ...(weights === null ? {} : { weights }),
      });
      const got = answered(covarianceAnswer(evidence));
      expect(got.errors).toBe('ignoring-bias');
      got.matrix.forEach((row, i) => {
        row.forEach((value, j) => {
          const size = Math.sqrt(covariance[i][i] * covariance[j][j]);
          expect(Math.abs(value - covariance[i][j])).toBeLessThanOrEqual(tolerance * size);
        });
      });
      const report = reportOf(evidence);
      expectRelative(report.ridge!.edf, edf, tolerance, 'edf');
      expect(report.errors).toBe('ignoring-bias');
      report.terms!.forEach((row, k) => {
        expectRelative(row.estimate, estimates[k], 1e-8, row.term);
        expectRelative(row['std.error'], Math.sqrt(covariance[k][k]), tolerance, row.term);
        expect(Object.keys(row)).toEqual(['term', 'estimate', 'std.error']);
      });
    },
  );

  it('are the diagonal of their covariance', () => {
    const fusion: RidgeFusion = { kind: 'ridge', ridge: 7, standardize: true };
    const { fit } = evidenceOf(table, 'cbind(y, z) ~ a + b + c + d', { fusion });
    for (const response of [0, 1]) {
      const whole = errorsOf(fit, response)!;
      const { errors, freedom } = standardErrors(fit, response)!;
      expect(freedom).toBe(whole.freedom);
      errors.forEach((error, k) => {
        const { covariance } = whole;
        expectRelative(error, Math.sqrt(covariance[k * errors.length + k]), 1e-13, `term ${k}`);
      });
    }
  });

  it('say in words what they are not for', () => {
    const evidence = evidenceOf(table, 'y ~ a + b', { fusion: { kind: 'ridge', ridge: 'gcv' } });
    const report = reportOf(evidence);
    const text = reportText(report);
    expect(text).toContain('standard errors ignore the bias of the penalty: not for intervals');
    expect(text).not.toContain('Pr(>');
    expect(text).toContain('(chosen by GCV)');
    expect(text).toMatch(/between \S+ and \S+ the score hardly changes\n/);
    const { flat, minimum } = report.ridge!;
    expect(flat![0]).toBeLessThanOrEqual(minimum!);
    expect(minimum!).toBeLessThanOrEqual(flat![1]);
  });

  it('are those of least squares as the ridge vanishes', () => {
    const errors = (ridge: number) =>
      reportOf(evidenceOf(table, 'y ~ a + b', { fusion: { kind: 'ridge', ridge } })).terms!.map(
        (row) => row['std.error']!,
      );
    const plain = errors(0);
    errors(1e-9).forEach((error, k) => {
      expectRelative(error, plain[k], 1e-9, `term ${k}`);
    });
  });

  it('stay silent where rounding is all that is left of a difference', () => {
    const wide = evidenceOf(table, 'y ~ a + b', { fusion: { kind: 'ridge', ridge: 1e40 } });
    const [intercept, ...slopes] = reportOf(wide).terms!;
    expect(intercept['std.error']).toBeGreaterThan(0);
    for (const row of slopes) expect(row).not.toHaveProperty('std.error');
  });

  it('are not known without a row left over', () => {
    const few = tableOf({ x: [1, 2], z: [3, 5], y: [1, 4] });
    const evidence = evidenceOf(few, 'y ~ x + z', {}, 1);
    expect(declined(covarianceAnswer(evidence)).problem).toContain('no row is left over');
    expect(reportOf(evidence).errors).toBeUndefined();
  });
});

interface WineRidge {
  readonly formula: string;
  readonly terms: readonly string[];
  readonly ridge: readonly {
    readonly lambda: number;
    readonly intercept: number;
    readonly coef: Readonly<Record<string, number>>;
    readonly coef_std: Readonly<Record<string, number>>;
    readonly se_std: Readonly<Record<string, number>>;
    readonly edf_without_intercept: number;
    readonly rss: number;
    readonly gcv: number;
  }[];
  readonly sd_pop: Readonly<Record<string, number>>;
}

describe.skipIf(!hasSharedData)('wine quality', () => {
  const columns: Record<string, number[]> = {};
  for (const site of hasSharedData ? ['red', 'white'] : []) {
    const { header, lines } = sharedLines('wine-quality', 'sites', `${site}.csv`);
    header.split(',').forEach((name, k) => {
      columns[name] ??= [];
      for (const line of lines) columns[name].push(Number(line.split(',')[k]));
    });
  }
  const truths = hasSharedData
    ? sharedJson<WineRidge>('wine-quality', 'reference_ridge.json')
    : { formula: '', terms: [], ridge: [], sd_pop: {} };

  it.each(truths.ridge)('has the reference’s errors at λ = $lambda', (truth) => {
    const evidence = evidenceOf(
      tableOf(columns),
      truths.formula,
      { fusion: { kind: 'ridge', ridge: truth.lambda, standardize: true } },
      2,
    );
    const report = reportOf(evidence);
    expectRelative(report.ridge!.edf, truth.edf_without_intercept + 1, tolerance, 'edf');
    expectRelative(report.ridge!.gcv, truth.gcv, tolerance, 'gcv');
    expectRelative(report.glance!.deviance, truth.rss, tolerance, 'rss');
    const rows = answered(standardized(evidence)).terms;
    truths.terms.forEach((term, k) => {
      const row = report.terms![k + 1];
      const sd = truths.sd_pop[term];
      expect(row.term).toBe(term);
      expectRelative(row.estimate, truth.coef[term], tolerance, term);
      expectRelative(row['std.error']! * sd, truth.se_std[term], tolerance, `error of ${term}`);
      const n = columns.quality.length;
      expectRelative(
        rows[k].perSd * Math.sqrt((n - 1) / n),
        truth.coef_std[term],
        tolerance,
        `per SD of ${term}`,
      );
    });
  });
});
