import { describe, expect, it } from 'vitest';
import { encodeContribution, firstNumbering } from '../src/statistic/envelope.ts';
import { statistics } from '../src/statistic/statistic.ts';
import { fitReport, temporaryFolder, writeSites } from './cli.ts';
import { agreement } from './linear.ts';
import { expectRelative } from './relative.ts';
import { hasSharedData, sharedLines, sharedPath } from './shared-data.ts';
import { everyRow, federated, studyOf, summaryOf, tableOf } from './tables.ts';

const formula =
  'thalach ~ age + sex + factor(cp) + trestbps + chol + fbs + factor(restecg) + exang + oldpeak';
const hospitals = ['cleveland', 'hungarian', 'switzerland', 'va'];

describe.skipIf(!hasSharedData)('compact arithmetic on uci-heart', () => {
  const folder = temporaryFolder();
  const paths = hospitals.map((name) => sharedPath('uci-heart', 'sites', `${name}.csv`));
  const fitted = (files: readonly string[], ...flags: readonly string[]) =>
    fitReport(formula, files, '--missing-marker', '?', ...flags);

  it('agrees with exact arithmetic to 1e-9, and promises no more', async () => {
    const exact = await fitted(paths);
    const compact = await fitted(paths, '--arithmetic', 'compact');
    expect(compact.arithmetic).toBe('compact');
    expect(compact.terms).toHaveLength(13);
    let worst = 0;
    compact.terms!.forEach((row, k) => {
      const truth = exact.terms![k];
      for (const key of ['estimate', 'std.error'] as const) {
        expectRelative(row[key], truth[key]!, 1e-9, `${row.term} ${key}`);
      }
      const error = Math.abs(row.estimate - truth.estimate);
      worst = Math.max(worst, error / Math.max(Math.abs(truth.estimate), truth['std.error']!));
    });
    for (const key of ['sigma', 'r.squared', 'statistic', 'deviance', 'logLik', 'AIC'] as const) {
      expectRelative(compact.glance![key], exact.glance![key]!, 1e-9, key);
    }
    expect(-Math.log10(worst)).toBeGreaterThanOrEqual(compact.digits! - 0.5);
    expect(compact.digits).toBeLessThan(exact.digits!);
  });

  it('agrees with itself to 1e-9 however the rows are held', async () => {
    const whole = paths.map((_, k) => sharedLines('uci-heart', 'sites', `${hospitals[k]}.csv`));
    const lines = whole.flatMap((file) => file.lines);
    const dealt = (count: number) =>
      fitted(
        writeSites(folder, `of-${count}`, whole[0].header, lines, count),
        '--arithmetic',
        'compact',
      );
    const [one, many] = [await dealt(1), await dealt(40)];
    one.terms!.forEach(({ term, estimate }, k) => {
      expectRelative(many.terms![k].estimate, estimate, 1e-9, term);
    });
  });
});

describe('compact arithmetic', () => {
  // Quarters square to sixteenths: no sum is rounded, so addition over sites is exact here too.
  const quarters = (step: number) => Array.from({ length: 64 }, (_, r) => ((r * step) % 61) / 4);
  const table = tableOf({
    y: quarters(7),
    a: quarters(11),
    b: quarters(23),
    w: quarters(5).map((q) => q + 1),
  });

  it('is additive: the sum of the sites is the statistic of the rows', () => {
    const agreed = agreement(studyOf(table, 'y ~ a*b', { arithmetic: 'compact' }));
    const { add, zero } = statistics(agreed.layout);
    const parts = [0, 1, 2, 3].map((site) =>
      summaryOf(
        agreed,
        table,
        everyRow(table).filter((r) => r % 4 === site),
      ),
    );
    const sum = parts.map(({ statistic }) => statistic).reduce(add, zero);
    const pooled = summaryOf(agreed, table, everyRow(table)).statistic;
    expect(sum.values).toEqual(pooled.values);
  });

  it('takes half the bytes of the 44-bit grid, and a quarter of the 88-bit one', () => {
    const bytesOf = (choice: Parameters<typeof studyOf>[2]) => {
      const agreed = agreement(studyOf(table, 'y ~ a*b', choice));
      const { statistic } = summaryOf(agreed, table, everyRow(table));
      const file = encodeContribution({
        ...firstNumbering,
        study: agreed.digest,
        site: 'north',
        dropped: 0,
        statistic,
      });
      return file.length - 8 - Number(new DataView(file.buffer).getBigUint64(0, true));
    };
    const compact = bytesOf({ arithmetic: 'compact' });
    expect(compact).toBe(8 * 15);
    expect(bytesOf({ grid: 44 })).toBe(2 * compact);
    expect(bytesOf({ grid: 66 })).toBe(3 * compact);
    expect(bytesOf({ grid: 88 })).toBe(4 * compact);
  });

  it.each([{}, { weights: 'w' }])('agrees with exact arithmetic: %o', (choice) => {
    const [compact, exact] = (['compact', 'exact'] as const).map((arithmetic) => {
      const study = studyOf(table, 'y ~ a*b', { ...choice, arithmetic });
      const { report } = federated(study, table, [everyRow(table)]);
      if (typeof report === 'string') throw new Error(report);
      return report;
    });
    compact.terms!.forEach((row, k) => {
      expectRelative(row.estimate, exact.terms![k].estimate, 1e-8, row.term);
      expectRelative(row['std.error'], exact.terms![k]['std.error']!, 1e-8, row.term);
    });
    expectRelative(compact.glance!.logLik, exact.glance!.logLik!, 1e-9, 'logLik');
  });
});
