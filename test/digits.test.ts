import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Report } from '../src/model/report.ts';
import { reportText } from '../src/model/report-text.ts';
import type { TableStudy } from '../src/study/study.ts';
import { cases } from './endurance.ts';
import { answersOf } from './fitted.ts';
import {
  anyFormula,
  anyTable,
  everyRow,
  federated,
  studyOf,
  type Table,
  tableOf,
} from './tables.ts';

/** Digits a report shares with a better one in its worst coefficient, of itself or its standard error. */
function shared(report: Report, better: Report): number {
  const errors = answersOf(better).flatMap(({ terms, glance }, r) =>
    terms.map((truth, k) => {
      // A perfect fit has coefficients that are 0 but for the last bits of the finest grid.
      if (1 - glance['r.squared']! < 1e-12) return 0;
      const size = Math.max(Math.abs(truth.estimate), truth['std.error'] ?? 0);
      const got = answersOf(report)[r].terms[k].estimate;
      return size === 0 ? 0 : Math.abs(got - truth.estimate) / size;
    }),
  );
  return Math.max(0, -Math.log10(Math.max(1e-16, ...errors)));
}

/** A column that differs from the sum of two others by a share 10⁻ᵏ of noise. */
const nearlyCollinear: fc.Arbitrary<Table> = fc
  .record({
    rows: fc.array(
      fc.tuple(...Array.from({ length: 4 }, () => fc.integer({ min: -999, max: 999 }))),
      { minLength: 8, maxLength: 60 },
    ),
    share: fc.double({ min: 0, max: 7, noNaN: true }).map((k) => 10 ** -k),
    level: fc.constantFrom(0, 1, 1000, 1e6),
    unit: fc.integer({ min: -6, max: 6 }).map((k) => 10 ** k),
  })
  .map(({ rows, share, level, unit }) =>
    tableOf({
      y: rows.map(([y, a, b]) => y / 10 + a - b / 3),
      a: rows.map(([, a]) => level + a / 100),
      b: rows.map(([, , b]) => b * unit),
      c: rows.map(([, a, b, noise]) => a / 100 + b / 7 + share * noise),
    }),
  );

function reportOf(table: Table, formula: string, choice: Partial<TableStudy>): Report {
  const { report } = federated(studyOf(table, formula, choice), table, [everyRow(table)]);
  if (typeof report === 'string') throw new Error(report);
  return report;
}

// The finest grid is exact to far more digits than any coarser one, so it stands for the truth.
describe('digits vouched for are digits reached', () => {
  it.each<readonly [string, Partial<TableStudy>]>([
    ['a grid of 44 bits', { grid: 44 }],
    ['a grid of 66 bits', { grid: 66 }],
    ['compact', { arithmetic: 'compact' }],
  ])('nearly collinear columns, %s', (_, choice) => {
    fc.assert(
      fc.property(
        nearlyCollinear,
        fc.constantFrom('y ~ a + b + c', 'y ~ a + b + c - 1', 'y ~ a*c + b'),
        (table, formula) => {
          const report = reportOf(table, formula, choice);
          const better = reportOf(table, formula, { grid: 88 });
          fc.pre(report.aliased.join() === better.aliased.join());
          expect(shared(report, better)).toBeGreaterThanOrEqual(report.digits! - 0.5);
        },
      ),
      { numRuns: cases(300), seed: 20267 },
    );
  });

  it('any table, any formula', () => {
    fc.assert(
      fc.property(anyTable(60), anyFormula, fc.boolean(), (table, formula, weighted) => {
        const weights = weighted ? { weights: 'w' } : {};
        const rows = [everyRow(table)];
        const [report, better] = ([44, 88] as const).map(
          (grid) => federated(studyOf(table, formula, { ...weights, grid }), table, rows).report,
        );
        if (typeof report === 'string' || typeof better === 'string') {
          expect(report).toEqual(better);
          return;
        }
        expect(report.aliased).toEqual(better.aliased);
        expect(shared(report, better)).toBeGreaterThanOrEqual(report.digits! - 0.5);
      }),
      { numRuns: cases(300), seed: 20268 },
    );
  });
});

describe('far from 0', () => {
  // Thousandths as whole numbers, so that the slope of the decimals is an exact fraction.
  const far = 1_700_000_000_000_000n;
  const steps = Array.from({ length: 200 }, (_, k) => BigInt(k));
  const responses = steps.map((k) => 2n * k + ((k * 37n) % 101n) - 50n);
  const n = BigInt(steps.length);
  const sum = (of: (k: number) => bigint) => steps.reduce((s, _, k) => s + of(k), 0n);
  const xy =
    n * sum((k) => steps[k] * responses[k]) - sum((k) => steps[k]) * sum((k) => responses[k]);
  const xx = n * sum((k) => steps[k] ** 2n) - sum((k) => steps[k]) ** 2n;
  const slope = Number((xy * 10n ** 17n) / xx) / 1e17;
  const decimal = (thousandths: bigint) => Number(`${thousandths}e-3`);

  it('digits vouched for are about the file’s decimals, not about the doubles', () => {
    const x = steps.map((k) => decimal(far + k));
    const table = tableOf({ x, y: responses.map(decimal) });
    for (const grid of [44, 88] as const) {
      const { terms, digits } = reportOf(table, 'y ~ x', { grid });
      const reached = -Math.log10(Math.abs(terms![1].estimate / slope - 1));
      expect(reached).toBeGreaterThan(digits!);
      expect(digits).toBeGreaterThan(2);
    }
  });

  it('whole numbers beyond 2⁵³ are said to be rounded', () => {
    const y = responses.map(decimal);
    const large = tableOf({ x: steps.map((k) => 2 ** 53 + 3 * Number(k)), y });
    const report = reportOf(large, 'y ~ x', {});
    expect(report.rounded).toEqual(['x']);
    expect(reportText(report)).toContain('x: numbers beyond 2⁵³, where whole numbers are rounded');
    const small = tableOf({ x: steps.map((k) => 2 ** 52 + 3 * Number(k)), y });
    expect(reportOf(small, 'y ~ x', {})).not.toHaveProperty('rounded');
  });

  it.each([1e-145, 1e-200, 1e-300, 1e160])('values of %d are refused, not crashed upon', (unit) => {
    const y = responses.map(decimal);
    const x = steps.map((k) => (Number(k) + 1) * unit);
    expect(() => reportOf(tableOf({ x, y }), 'y ~ x', {})).toThrow('for their squares');
    expect(() => reportOf(tableOf({ x: y, y: x }), 'y ~ x', {})).toThrow('for their squares');
  });

  it('compact arithmetic does not call a column near a combination one', () => {
    const x = steps.map((k) => Number((k * 7919n) % 1009n) / 1009);
    const near = x.map((v, k) => v + (1e-5 * (((k * 31) % 17) - 8)) / 8);
    const table = tableOf({ x, near, y: responses.map(decimal) });
    const compact = reportOf(table, 'y ~ x + near', { arithmetic: 'compact' });
    expect(reportOf(table, 'y ~ x + near', {}).aliased).toEqual([]);
    expect(compact.aliased).toEqual(['near']);
    const text = reportText(compact);
    expect(text).toContain(
      'near is too close to a combination of the terms above for compact arithmetic',
    );
    expect(text).not.toContain('is a combination');
  });
});
