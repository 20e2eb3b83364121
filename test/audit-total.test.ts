import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditTotal } from '../src/disclosure/audit-total.ts';
import { cellsOfRows, cellsOfStatistic } from '../src/disclosure/cells.ts';
import type { Audit, RuleId } from '../src/disclosure/rule.ts';
import { sumStatistics } from '../src/statistic/statistic.ts';
import { factsOf, ruleOf, standardOf } from './audited.ts';
import { cases } from './endurance.ts';
import { agreement } from './linear.ts';
import { everyRow, studyOf, summaryOf, type Table, tableOf } from './tables.ts';

const three = ['i', 'ii', 'iii'];
const spread = (rows: number) => Array.from({ length: rows }, (_, r) => 1.5 + ((r * 1.618) % 1));
const levels = (...counts: number[]) =>
  counts.flatMap((count, level) => Array<number>(count).fill(level));

/** The audit of the sum of sites that hold these rows of a table. */
function ofSum(
  table: Table,
  formula: string,
  sites: readonly (readonly number[])[] = [everyRow(table)],
  choices: Parameters<typeof studyOf>[2] = {},
): Audit {
  const agreed = agreement(studyOf(table, formula, choices));
  const parts = sites.map((rows) => summaryOf(agreed, table, rows).statistic);
  return auditTotal(sumStatistics(agreed.layout, parts), agreed.design.terms, standardOf());
}

const outcome = (result: Audit, rule: RuleId) => ruleOf(result, rule).outcome;

describe('a total', () => {
  it.each<['exact' | 'compact']>([['exact'], ['compact']])(
    'tells the cells its rows have: %s',
    (arithmetic) => {
      const code = fc.constantFrom(0, 1, 2);
      const rows = fc.integer({ min: 2, max: 80 });
      const table = rows.chain((n) => {
        const column = fc.array(code, { minLength: n, maxLength: n });
        return fc.tuple(column, column, fc.array(fc.nat(1), { minLength: n, maxLength: n }));
      });
      fc.assert(
        fc.property(table, fc.constantFrom(' - 1', ''), ([g, h, k], constant) => {
          const all = tableOf(
            { y: spread(g.length), g, h, k },
            { g: three, h: three, k: ['no', 'yes'] },
          );
          const agreed = agreement(studyOf(all, `y ~ g + h + k${constant}`, { arithmetic }));
          const { facts, summary } = factsOf(agreed, all);
          const { terms } = agreed.design;
          const [own, told] = [cellsOfRows(facts), cellsOfStatistic(summary.statistic, terms)];
          const named = (cells: typeof own) =>
            Object.fromEntries(
              cells.columns.flatMap((a, i) => [
                [a.name, a.high],
                ...cells.columns
                  .slice(i + 1)
                  .map((b, j) => [`${a.name} ${b.name}`, cells.both(i, i + 1 + j)]),
              ]),
            );
          // y may have two values in two rows; no indicator tells that.
          const without = Object.entries(named(own)).filter(
            ([name]) => !name.split(' ').includes('y'),
          );
          expect(named(told)).toEqual(Object.fromEntries(without));
        }),
        { numRuns: cases(80) },
      );
    },
  );

  it('of sites that are too small by themselves can pass', () => {
    const table = tableOf(
      {
        y: spread(60),
        g: Array.from({ length: 60 }, (_, r) => (r % 10 === 0 ? 1 : r % 2 === 0 ? 2 : 0)),
      },
      { g: three },
    );
    const halves = [0, 1].map((half) =>
      everyRow(table).filter((r) => r % 20 < 10 === (half === 0)),
    );
    expect(ofSum(table, 'y ~ g', halves).outcome).toBe('pass');
    for (const half of halves) expect(outcome(ofSum(table, 'y ~ g', [half]), 'R3')).toBe('block');
  });

  it.each<[RuleId, string, (n: number) => Table, string, number]>([
    ['R0', 'rows', (n) => tableOf({ y: spread(n) }), 'y ~ 1', 10],
    [
      'R1',
      'columns',
      (n) => tableOf({ y: spread(n), a: spread(n).reverse() }),
      'y ~ a + I(a^2) + I(a^3)',
      13,
    ],
    ['R2', 'freedom', (n) => tableOf({ y: spread(n), a: spread(n).reverse() }), 'y ~ a', 12],
    [
      'R3',
      'a level',
      (n) => tableOf({ y: spread(40 + n), g: levels(20, 20, n) }, { g: three }),
      'y ~ g',
      5,
    ],
    [
      'R3',
      'a baseline',
      (n) => tableOf({ y: spread(40 + n), g: levels(n, 20, 20) }, { g: three }),
      'y ~ g',
      5,
    ],
    [
      'R4',
      'a cell of two baselines',
      (n) =>
        tableOf(
          {
            y: spread(80 + n),
            g: levels(40 + n, 20, 20),
            h: [...levels(n, 20, 20), ...levels(14, 13, 13)],
          },
          { g: three, h: three },
        ),
      'y ~ g + h',
      5,
    ],
    [
      'R5',
      'a group',
      (n) => tableOf({ y: spread(40 + n), g: levels(40, n) }, { g: ['no', 'yes'] }),
      'y ~ g',
      5,
    ],
  ])('%s: %s', (rule, _, table, formula, least) => {
    expect(outcome(ofSum(table(least), formula), rule)).toBe('pass');
    expect(outcome(ofSum(table(least - 1), formula), rule)).toBe('block');
  });

  it('leaves the rules on single rows to the sites', () => {
    const { rules } = ofSum(tableOf({ y: spread(40) }), 'y ~ 1');
    const open = rules.filter((rule) => rule.outcome === 'not-applicable').map(({ rule }) => rule);
    expect(open).toEqual(['R6', 'R7', 'R8', 'R9', 'R10', 'R11']);
  });

  it('of weighted rows does not tell cells, but rows and rank', () => {
    const rows = 60;
    const g = levels(56, 4);
    const w = Array.from({ length: rows }, (_, r) => 1 + (r % 3));
    const table = tableOf({ y: spread(rows), g, w }, { g: ['no', 'yes'] });
    const result = ofSum(table, 'y ~ g', undefined, { weights: 'w' });
    expect(outcome(result, 'R0')).toBe('pass');
    expect(outcome(result, 'R2')).toBe('pass');
    expect(ruleOf(result, 'R3')).toMatchObject({ outcome: 'not-applicable' });
    const few = ofSum(table, 'y ~ g', [[0, 1, 2, 3, 57, 58]], { weights: 'w' });
    expect(outcome(few, 'R0')).toBe('block');
  });

  it('with noise is protected by it', () => {
    const table = tableOf({ y: spread(4) });
    const { layout } = agreement(studyOf(table, 'y ~ 1'));
    const noisy = {
      ...layout,
      grid: 16,
      privacy: { kind: 'products', bound: 1000, noise: 'at-sites' },
    } as const;
    const total = { layout: noisy, values: new Uint32Array(8) };
    expect(auditTotal(total, [], standardOf()).outcome).toBe('pass');
  });
});
