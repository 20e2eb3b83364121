import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Group } from '../src/algebra.ts';
import type { Report } from '../src/model/report.ts';
import { type LinearStatistic, statistics } from '../src/statistic/statistic.ts';
import type { Study, TableStudy } from '../src/study/study.ts';
import { fitReport, temporaryFolder, writeSites } from './cli.ts';
import { cases } from './endurance.ts';
import { agreement } from './linear.ts';
import { hasSharedData, sharedLines } from './shared-data.ts';
import { anyFormula, anyTable, everyRow, federated, studyOf, summaryOf } from './tables.ts';

const counts = [1, 2, 7, 100];

const arithmetics: readonly (readonly [string, Partial<TableStudy>])[] = [
  ['a grid of 22 bits', { grid: 22 }],
  ['a grid of 44 bits', { grid: 44 }],
  ['a grid of 66 bits', { grid: 66 }],
  ['a grid of 88 bits', { grid: 88 }],
  ['compact', { arithmetic: 'compact' }],
];

const fusion = fc.constantFrom<Study['fusion']>(
  { kind: 'ridge', ridge: 0 },
  { kind: 'ridge', ridge: 0 },
  { kind: 'ridge', ridge: 0.5, standardize: true },
  { kind: 'ridge', ridge: 'gcv', standardize: true },
);

/** Rows in the order of their keys, dealt to sites by another key; sites may stay empty. */
function deal(
  keys: readonly (readonly [number, number])[],
  rows: number,
  sites: number,
): number[][] {
  const order = Array.from({ length: rows }, (_, r) => r).sort(
    (a, b) => keys[a][0] - keys[b][0] || a - b,
  );
  return Array.from({ length: sites }, (_, site) =>
    order.filter((r) => keys[r][1] % sites === site),
  );
}

// Integers add without rounding, so nothing may depend on who held which row.
describe('a partition of the rows leaves no trace', () => {
  const most = 150;
  const keys = fc.array(fc.tuple(fc.nat(1000), fc.nat(6999)), { minLength: most, maxLength: most });
  it.each(arithmetics.slice(0, 3))('total, digest and report for any table, on %s', (_, choice) => {
    fc.assert(
      fc.property(
        anyTable(most),
        anyFormula,
        fusion,
        keys,
        fc.boolean(),
        (table, formula, how, key, weighted) => {
          const study = studyOf(table, formula, {
            ...choice,
            fusion: how,
            ...(weighted ? { weights: 'w' } : {}),
          });
          const pooled = federated(study, table, [everyRow(table)]);
          for (const count of counts) {
            expect(federated(study, table, deal(key, table.rows, count))).toEqual(pooled);
          }
        },
      ),
      { numRuns: cases(40, 1 / 10), seed: 20260 },
    );
  });

  describe.skipIf(!hasSharedData)('by command line, the hospitals of uci-heart', () => {
    const folder = temporaryFolder();
    const hospitals = ['cleveland', 'hungarian', 'switzerland', 'va'];
    const files = hasSharedData
      ? hospitals.map((name) => sharedLines('uci-heart', 'sites', `${name}.csv`))
      : [];
    const formula =
      'thalach ~ age*sex + factor(cp) + trestbps + chol + fbs + factor(restecg) + exang + log(age) + oldpeak';

    it('1, 2, 7 and 100 files of shuffled rows give one report', async () => {
      const lines = shuffled(files.flatMap((file) => file.lines));
      expect(lines).toHaveLength(920);
      const reports: Omit<Report, 'sites' | 'flags'>[] = [];
      for (const count of counts) {
        const paths = writeSites(folder, `heart-of-${count}`, files[0].header, lines, count);
        // Files of two rows are worth asking about; the model is the same.
        const {
          sites,
          flags: _,
          ...rest
        } = await fitReport(formula, paths, '--missing-marker', '?');
        expect(sites).toHaveLength(count);
        expect(sites.reduce((sum, { n = 0 }) => sum + n, 0)).toBe(740);
        expect(sites.reduce((sum, { dropped = 0 }) => sum + dropped, 0)).toBe(180);
        reports.push(rest);
      }
      for (const report of reports) expect(report).toEqual(reports[0]);
      expect(reports[0].digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    });
  });
});

/** Fisher–Yates by a fixed linear congruential stream. */
function shuffled<T>(items: readonly T[]): T[] {
  const copy = [...items];
  let state = 1;
  for (let k = copy.length - 1; k > 0; k--) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const other = state % (k + 1);
    [copy[k], copy[other]] = [copy[other], copy[k]];
  }
  return copy;
}

describe.each(arithmetics)('statistics form a commutative group, on %s', (_, choice) => {
  type Law = (
    group: Group<LinearStatistic>,
    a: LinearStatistic,
    b: LinearStatistic,
    c: LinearStatistic,
  ) => readonly [LinearStatistic, LinearStatistic];
  const laws: readonly (readonly [string, Law])[] = [
    ['a + b = b + a', (group, a, b) => [group.add(a, b), group.add(b, a)]],
    [
      '(a + b) + c = a + (b + c)',
      (group, a, b, c) => [group.add(group.add(a, b), c), group.add(a, group.add(b, c))],
    ],
    ['(a + b) − b = a', (group, a, b) => [group.subtract(group.add(a, b), b), a]],
    ['a + 0 = a', (group, a) => [group.add(a, group.zero), a]],
    ['a − a = 0', (group, a) => [group.subtract(a, a), group.zero]],
    ['(0 − a) + a = 0', (group, a) => [group.add(group.subtract(group.zero, a), a), group.zero]],
  ];
  it.each(laws)('%s', (_, law) => {
    fc.assert(
      fc.property(anyTable(60), anyFormula, fc.boolean(), (table, formula, weighted) => {
        const agreed = agreement(
          studyOf(table, formula, { ...choice, ...(weighted ? { weights: 'w' } : {}) }),
        );
        const rows = everyRow(table);
        const [a, b, c] = [0, 1, 2].map(
          (k) =>
            summaryOf(
              agreed,
              table,
              rows.filter((r) => r % 3 === k),
            ).statistic,
        );
        const [left, right] = law(statistics(agreed.layout), a, b, c);
        expect(left).toEqual(right);
      }),
      { numRuns: cases(30), seed: 20261 },
    );
  });
});
