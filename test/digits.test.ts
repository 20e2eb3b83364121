import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Report } from '../src/model/report.ts';
import type { Study } from '../src/study/study.ts';
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

function reportOf(table: Table, formula: string, choice: Partial<Study>): Report {
  const { report } = federated(studyOf(table, formula, choice), table, [everyRow(table)]);
  if (typeof report === 'string') throw new Error(report);
  return report;
}

// The finest grid is exact to far more digits than any coarser one, so it stands for the truth.
describe('digits vouched for are digits reached', () => {
  it.each<readonly [string, Partial<Study>]>([
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
