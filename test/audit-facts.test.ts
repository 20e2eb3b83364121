import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { audit } from '../src/disclosure/audit.ts';
import { cellsOfRows } from '../src/disclosure/cells.ts';
import { noFacts, scanColumn, scanManyTwin } from '../src/disclosure/column-facts.ts';
import {
  distinctCounter,
  distinctEstimate,
  mergeSketches,
} from '../src/disclosure/distinct-values.ts';
import { factsCollector } from '../src/disclosure/facts-collector.ts';
import { GROUP_NUMBERS } from '../src/disclosure/group-facts.ts';
import { leverageBound, leverageCounter } from '../src/disclosure/leverage.ts';
import { joinFacts, manyValued, type RowFacts, twoValued } from '../src/disclosure/row-facts.ts';
import { choleskyTwin } from '../src/numeric/cholesky.ts';
import { audited, factsOf, ruleOf, standardOf, watched } from './audited.ts';
import { cases } from './endurance.ts';
import { agreement } from './linear.ts';
import { everyRow, studyOf, type Table, tableOf } from './tables.ts';

const { sines } = JSON.parse(
  readFileSync(new URL('vectors/audit-leverage.json', import.meta.url), 'utf8'),
) as { readonly sines: Readonly<Record<'rows' | 'columns' | 'leverage', number>> };

/** Columns of few values and of many, of both signs, and of values that only some parts of the rows have. */
const cellKinds = [
  fc.constantFrom(0, 1),
  fc.constantFrom(-2.5, 7),
  fc.constantFrom(1, 2, 3),
  fc.constantFrom(-0, 0, 0, 0, 0, 1e-3),
  fc.integer({ min: -5, max: 5 }),
  fc.integer({ min: -1000, max: 1000 }).map((k) => k / 64),
];
const anyColumns = fc
  .integer({ min: 1, max: 120 })
  .chain((rows) =>
    fc
      .tuple(...cellKinds.map((cell) => fc.array(cell, { minLength: rows, maxLength: rows })))
      .map(([a, b, c, d, e, f]) =>
        tableOf({ y: f, a, b, c, d, e, g: c.map((v) => v - 1) }, { g: ['i', 'ii', 'iii'] }),
      ),
  );
const formula = 'y ~ a + b + c + d + e + g';

/** Rows cut into parts, each read in blocks of some size, in some order. */
function parts(table: Table, seed: number): RowFacts[] {
  const agreed = agreement(studyOf(table, formula));
  const rows = everyRow(table).sort(
    (i, j) => ((i * 7 + seed) % 13) - ((j * 7 + seed) % 13) || i - j,
  );
  const count = 1 + (seed % 4);
  return Array.from({ length: count }, (_, k) => {
    const own = rows.filter((r) => r % count === k);
    return factsOf(agreed, table, own, 1 + ((seed + k) % 5) * 17).facts;
  });
}

function expectSame(a: RowFacts, b: RowFacts): void {
  expect(b.rows).toBe(a.rows);
  const exact = ({ mean, squares, size, ...rest }: RowFacts['columns'][number]) => rest;
  expect(b.columns.map(exact)).toEqual(a.columns.map(exact));
  expect(b.distinct).toEqual(a.distinct);
  expect(b.pairs).toEqual(a.pairs);
  const sums = (facts: RowFacts) => [
    ...facts.columns.flatMap(({ mean, squares, size }) => [mean, squares, size]),
    ...facts.groups,
  ];
  const [left, right] = [sums(a), sums(b)];
  expect(right.length).toBe(left.length);
  left.forEach((value, k) => {
    expect(Math.abs(right[k] - value)).toBeLessThanOrEqual(1e-11 * (1 + Math.abs(value)));
  });
}

describe('facts of rows', () => {
  it('are those of the twin, bit for bit', () => {
    const value = fc.oneof(
      fc.double({ min: -1e150, max: 1e150, noNaN: true }).map((x) => x + 0),
      fc.integer({ min: -3, max: 3 }),
    );
    const reference = { center: 0.375, scale: 4 };
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 23 }), (values) => {
        const column = Float64Array.from(values);
        const twin = { ...noFacts('x', false), ...scanManyTwin(column, reference) };
        const kernel = scanColumn(noFacts('x', false), reference, column, column.length, null);
        expect(kernel).toEqual(twin);
      }),
    );
  });

  it('are the same however the rows are cut, ordered and read', () => {
    fc.assert(
      fc.property(anyColumns, fc.nat(1000), (table, seed) => {
        const whole = parts(table, 0)[0];
        const cut = parts(table, seed);
        expectSame(whole, joinFacts(cut));
        expectSame(whole, joinFacts(cut.toReversed()));
        expectSame(whole, structuredClone(whole));
      }),
      { numRuns: cases(150, 1 / 10) },
    );
  });

  it('are what counting gives', () => {
    fc.assert(
      fc.property(anyColumns, (table) => {
        const agreed = agreement(studyOf(table, formula));
        const { facts } = factsOf(agreed, table, everyRow(table), 23);
        const z: number[][] = [];
        watched(agreed, table, everyRow(table), (rows, columns) => {
          for (let r = 0; r < rows; r++) z.push(columns.map((column) => column[r]));
        });
        const columns = facts.columns.map(({ baseline }, k) =>
          baseline
            ? z.map((row) => 1 - row[rowOf(agreed, 'gii')] - row[rowOf(agreed, 'giii')])
            : z.map((row) => row[k + 1]),
        );
        facts.columns.forEach(({ values, lowest, highest, whole }, k) => {
          const different = [...new Set(columns[k].map((v) => v + 0))].sort((a, b) => a - b);
          expect(values).toEqual(different.length > 2 ? null : different);
          expect([lowest + 0, highest + 0]).toEqual([different[0], different.at(-1)]);
          expect(whole).toBe(different.every(Number.isInteger));
          if (whole) expect(distinctEstimate(facts.distinct[k]!)).toBe(different.length);
        });
        const two = twoValued(facts.columns);
        const cells = cellsOfRows(facts);
        const isHigh = (k: number, r: number) => columns[k][r] === facts.columns[k].values![1];
        two.forEach((i, a) => {
          two.slice(a + 1).forEach((j, b) => {
            const both = z.filter((_, r) => isHigh(i, r) && isHigh(j, r)).length;
            expect(cells.both(a, a + 1 + b)).toBe(both);
          });
        });
        const many = manyValued(facts.columns);
        two.forEach((j, a) => {
          many.forEach((c, b) => {
            [true, false].forEach((high, side) => {
              const sizes = columns[c].map(Math.abs).filter((_, r) => isHigh(j, r) === high);
              const [first = 0, second = 0] = sizes.sort((x, y) => y - x);
              const at = GROUP_NUMBERS * (a * many.length + b) + 3 * side;
              const [size, ...top] = facts.groups.subarray(at, at + 3);
              expect(size).toBeCloseTo(
                sizes.reduce((s, v) => s + v, 0),
                8,
              );
              expect(top).toEqual([first, second]);
            });
          });
        });
      }),
      { numRuns: cases(100, 1 / 10) },
    );
  });

  function rowOf({ layout }: ReturnType<typeof agreement>, name: string): number {
    return layout.columns.indexOf(name);
  }

  it('find the largest rows of a rare group in a long column', () => {
    const rows = 10_000;
    const x = Float64Array.from({ length: rows }, (_, r) => ((r * 7919) % 10_007) / 10_007);
    const g = Float64Array.from({ length: rows }, (_, r) => (r % 1237 === 5 ? 1 : 0));
    const layout = {
      ...agreement(studyOf(tableOf({ x: [0, 0.5, 1], g: [0, 1, 2] }), 'x ~ g')).layout,
    };
    const collector = factsCollector(layout);
    collector.add(rows, [new Float64Array(rows).fill(1), g, x]);
    const { groups } = collector.finish();
    const group = x
      .filter((_, r) => g[r] === 1)
      .sort()
      .reverse();
    expect(groups[0]).toBeCloseTo(
      group.reduce((s, v) => s + v, 0),
      10,
    );
    expect([groups[1], groups[2]]).toEqual([group[0], group[1]]);
  });
});

describe('distinct values', () => {
  const sketchOf = (values: readonly number[]) => {
    const counter = distinctCounter();
    counter.add(Float64Array.from(values), values.length);
    return counter.finish();
  };
  it('are counted while few and estimated when many', () => {
    expect(distinctEstimate(sketchOf([3, 1, 3, 1, -0, 0]))).toBe(3);
    for (const count of [2047, 5000, 100_000]) {
      const values = Array.from({ length: 2 * count }, (_, k) => k % count);
      expect(Math.abs(distinctEstimate(sketchOf(values)) / count - 1)).toBeLessThan(0.06);
    }
  });

  it('merge', () => {
    const values = Array.from({ length: 30_000 }, (_, k) => (k * k) % 9973);
    const halves = mergeSketches(sketchOf(values.slice(0, 11_000)), sketchOf(values.slice(11_000)));
    expect(halves).toEqual(sketchOf(values));
  });
});

describe('leverage', () => {
  const measured = (table: Table, text: string, choices: Parameters<typeof studyOf>[2] = {}) => {
    const agreed = agreement(studyOf(table, text, choices));
    const { facts, summary } = factsOf(agreed, table);
    const meter = leverageCounter(summary.statistic);
    watched(agreed, table, everyRow(table), meter.add);
    return { ...meter.finish(), bound: leverageBound(summary.statistic, facts) };
  };

  /** max aᵀ(AᵀA)⁻¹a by Gram–Schmidt on columns, those of which nothing is left out. */
  function byOrthogonalising(columns: readonly (readonly number[])[]): number {
    const basis: number[][] = [];
    for (const column of columns) {
      let rest = [...column];
      for (let twice = 0; twice < 2; twice++) {
        for (const q of basis) {
          const dot = q.reduce((s, v, r) => s + v * rest[r], 0);
          rest = rest.map((v, r) => v - dot * q[r]);
        }
      }
      const length = Math.hypot(...rest);
      if (length > 1e-9 * Math.hypot(...column)) basis.push(rest.map((v) => v / length));
    }
    const leverages = columns[0].map((_, r) => basis.reduce((s, q) => s + q[r] ** 2, 0));
    return Math.max(...leverages);
  }

  it('is that of the model matrix, with dependent columns and absent levels', () => {
    const value = fc.integer({ min: -40, max: 40 }).map((k) => k / 8);
    const table = fc.integer({ min: 5, max: 60 }).chain((rows) => {
      const column = fc.array(value, { minLength: rows, maxLength: rows });
      return fc.tuple(column, column, fc.array(fc.nat(1), { minLength: rows, maxLength: rows }));
    });
    fc.assert(
      fc.property(table, fc.constantFrom(' - 1', ''), ([a, b, g], constant) => {
        const c = a.map((v, r) => v - 2 * b[r]);
        const y = b.map((v) => v ** 2);
        const rows = tableOf({ y, a, b, c, g }, { g: ['i', 'ii', 'iii'] });
        const { largest, whole, bound } = measured(rows, `y ~ a + b + c${constant}`);
        const start = constant === '' ? [a.map(() => 1)] : [];
        const expected = byOrthogonalising([...start, a, b, c]);
        expect(largest).toBeCloseTo(expected, 8);
        expect(whole).toBeCloseTo(byOrthogonalising([...start, a, b, c, y]), 8);
        expect(bound).toBeGreaterThanOrEqual(largest - 1e-9);
        const withLevels = measured(rows, `y ~ a + g${constant}`);
        const indicators = [0, 1].map((level) => g.map((v) => (v === level ? 1 : 0)));
        expect(withLevels.largest).toBeCloseTo(byOrthogonalising([...start, a, ...indicators]), 8);
        expect(withLevels.bound).toBeGreaterThanOrEqual(withLevels.largest - 1e-9);
      }),
      { numRuns: cases(60) },
    );
  });

  const sine = (i: number, j: number) => Math.sin((i + 1) * (j + 1) * 0.7318 + 0.5 * j);

  /** max aᵀ(AᵀA)⁻¹a over the first columns and over all, by one factor of AᵀA. */
  function byFactor(columns: readonly (readonly number[])[], first: number) {
    const width = columns.length;
    const gram = new Float64Array(width ** 2);
    for (let i = 0; i < width; i++) {
      for (let j = i; j < width; j++) {
        for (let r = 0; r < columns[0].length; r++) {
          gram[i * width + j] += columns[i][r] * columns[j][r];
        }
      }
    }
    const outcome = choleskyTwin(gram, width);
    if ('indefiniteAt' in outcome) throw new RangeError('a column follows from others');
    const inverse = outcome.factor.inverseFactor();
    const leverages = { largest: 0, whole: 0 };
    for (let r = 0; r < columns[0].length; r++) {
      let squares = 0;
      for (let j = 0; j < width; j++) {
        let sum = 0;
        for (let i = 0; i <= j; i++) sum += columns[i][r] * inverse[i * width + j];
        squares += sum ** 2;
        if (j === first - 1) leverages.largest = Math.max(leverages.largest, squares);
      }
      leverages.whole = Math.max(leverages.whole, squares);
    }
    return leverages;
  }

  it.each([
    [3, 1],
    [254, 4],
    [262, 2],
  ])('of %i predictors and %i responses is measured with and without these', (few, responses) => {
    const names = Array.from({ length: few }, (_, j) => `x${j}`);
    const ys = Array.from({ length: responses }, (_, j) => `y${j}`);
    const cells = [...names, ...ys].map((_, j) =>
      Array.from({ length: 300 }, (_, i) => sine(i, j)),
    );
    const table = tableOf(Object.fromEntries([...names, ...ys].map((name, j) => [name, cells[j]])));
    const agreed = agreement(studyOf(table, `cbind(${ys.join(', ')}) ~ ${names.join(' + ')}`));
    const { statistic } = watched(agreed, table, everyRow(table), () => {});
    const meter = leverageCounter(statistic);
    watched(agreed, table, everyRow(table), meter.add, 280);
    const { largest, whole } = meter.finish();
    const expected = byFactor([cells[0].map(() => 1), ...cells], 1 + few);
    expect(largest).toBeCloseTo(expected.largest, 6);
    expect(whole).toBeCloseTo(expected.whole, 6);
  });

  it('of 270 columns is numpy’s', () => {
    const { rows, columns, leverage } = sines;
    const names = Array.from({ length: columns }, (_, j) => `x${j}`);
    const table = tableOf({
      y: Array.from({ length: rows }, (_, i) => i / rows),
      ...Object.fromEntries(
        names.map((name, j) => [name, Array.from({ length: rows }, (_, i) => sine(i, j))]),
      ),
    });
    const { largest, bound } = measured(table, `y ~ ${names.join(' + ')}`);
    expect(largest).toBeCloseTo(leverage, 6);
    expect(bound).toBe(1);
  });

  it('of weighted rows and of regressions by likelihood is measured with their weights', () => {
    const rows = 40;
    const a = Array.from({ length: rows }, (_, r) => (r === 0 ? 9 : (r * 0.37) % 1));
    const y = a.map((_, r) => ((r * 5) % 3 === 0 ? 1 : 0));
    const w = a.map((_, r) => 1 + 3 * (r % 2));
    const table = tableOf({ y, a, w });
    const at = { '(Intercept)': -1, a: 0.25 };
    const eta = a.map((v) => -1 + 0.25 * v);
    const digest = `sha256:${'0'.repeat(64)}`;
    const from = { study: digest, total: digest };
    const cases = [
      [{ weights: 'w' }, w],
      [
        { fusion: { kind: 'glm', family: 'binomial', at } },
        eta.map((e) => Math.exp(e) / (1 + Math.exp(e)) ** 2),
      ],
      [{ fusion: { kind: 'glm', family: 'poisson', at } }, eta.map(Math.exp)],
    ] as const;
    for (const [choices, weights] of cases) {
      const roots = weights.map(Math.sqrt);
      const expected = byOrthogonalising([roots, a.map((v, r) => v * roots[r])]);
      const { largest, bound } = measured(table, 'y ~ a', choices);
      expect(largest).toBeCloseTo(expected, 8);
      expect(bound).toBeNaN();
      const lax = { thresholds: { noticeableLeverage: 0.05, influence: 1 } };
      const usual = ruleOf(audited(table, 'y ~ a', undefined, {}, choices), 'R6');
      const vouchedFor = 'fusion' in choices ? { fusion: { ...choices.fusion, from } } : choices;
      const { verdicts } = ruleOf(audited(table, 'y ~ a', lax, {}, vouchedFor), 'R6');
      expect(usual.outcome).toBe('block');
      expect(verdicts.map(({ level }) => level)).toEqual(['warn']);
    }
  });

  it('of weighted rows that nobody has measured is not judged, and not passed', () => {
    const a = Array.from({ length: 40 }, (_, r) => (r * 0.37) % 1);
    const table = tableOf({ y: a.map((v) => v ** 2), a, w: a.map((_, r) => 1 + (r % 2)) });
    const agreed = agreement(studyOf(table, 'y ~ a', { weights: 'w' }));
    const { facts, summary } = factsOf(agreed, table);
    const known = { statistic: summary.statistic, facts, terms: agreed.design.terms };
    const { outcome, rules } = audit(known, standardOf());
    expect(outcome).toBe('acknowledge');
    const open = rules.filter((rule) => rule.outcome === 'not-judged').map(({ rule }) => rule);
    expect(open).toEqual(['R0', 'R3', 'R4', 'R5', 'R6']);
  });
});
