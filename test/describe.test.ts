import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Column } from '../src/study/codebook.ts';
import {
  type ColumnSummary,
  type DescriberOptions,
  describeNumbers,
  describeNumbersTwin,
  describer,
  joinDescriptions,
  type NumberDescription,
  standardDeviation,
} from '../src/table/describe.ts';

const columns: readonly { readonly name: string; readonly column: Column }[] = [
  { name: 'x', column: { type: 'number' } },
  { name: 'group', column: { type: 'category', levels: ['a', 'b', 'c'] } },
];

type Row = readonly [x: number, group: number];

// Small whole numbers: their sums are exact, so means may be compared closely.
const cell = (value: fc.Arbitrary<number>) =>
  fc.oneof({ weight: 5, arbitrary: value }, fc.constant(Number.NaN));
const rows = fc.array(fc.tuple(cell(fc.integer({ min: -1000, max: 1000 })), cell(fc.nat(2))), {
  maxLength: 60,
});

function described(
  table: readonly Row[],
  blockRows: number,
  of: typeof columns = columns,
  options: DescriberOptions = {},
): ColumnSummary {
  const seen = describer(of, options);
  for (let from = 0; from < table.length; from += blockRows) {
    const part = table.slice(from, from + blockRows);
    seen.add({
      rows: part.length,
      columns: [0, 1].map((k) => Float64Array.from(part, (row) => row[k])),
    });
  }
  return seen.finish();
}

function expectAlike(a: ColumnSummary, b: ColumnSummary): void {
  expect(a.rows).toBe(b.rows);
  expect(a.columns.group).toEqual(b.columns.group);
  const [x, y] = [a, b].map((one) => one.columns.x as NumberDescription);
  for (const key of ['present', 'missing', 'min', 'max'] as const) expect(x[key]).toBe(y[key]);
  expect(x.mean).toBeCloseTo(y.mean, 8);
  expect(x.squares).toBeCloseTo(y.squares, 4);
}

describe('a description', () => {
  it('of numbers is that of the twin, bit for bit', () => {
    const value = fc.double({ min: -1e150, max: 1e150, noNaN: true }).map((x) => x + 0);
    fc.assert(
      fc.property(fc.array(cell(value), { maxLength: 23 }), (xs) => {
        const cells = Float64Array.from(xs);
        expect(describeNumbers(cells)).toEqual(describeNumbersTwin(cells));
      }),
    );
  });

  it('is what a person would count', () => {
    fc.assert(
      fc.property(rows, (table) => {
        const { columns: found, rows: count } = described(table, 7);
        const xs = table.map(([x]) => x).filter((x) => !Number.isNaN(x));
        const x = found.x as NumberDescription;
        expect(count).toBe(table.length);
        expect(x).toMatchObject({ present: xs.length, missing: table.length - xs.length });
        if (xs.length > 0) {
          const mean = xs.reduce((sum, value) => sum + value, 0) / xs.length;
          const squares = xs.reduce((sum, value) => sum + (value - mean) ** 2, 0);
          expect(x).toMatchObject({ min: Math.min(...xs), max: Math.max(...xs) });
          expect(x.mean).toBeCloseTo(mean, 8);
          const deviation = standardDeviation(x);
          if (xs.length > 1) expect(deviation).toBeCloseTo(Math.sqrt(squares / (xs.length - 1)), 6);
          else expect(deviation).toBeNaN();
        }
        const counts = [0, 1, 2].map((level) => table.filter(([, g]) => g === level).length);
        expect(found.group).toMatchObject({ counts });
      }),
    );
  });

  it('does not depend on blocks or on how a table is cut', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 20 }), fc.nat(60), (table, size, cut) => {
        const whole = described(table, 4096);
        expectAlike(described(table, size), whole);
        const parts = [table.slice(0, cut), table.slice(cut)].map((part) => described(part, size));
        expectAlike(joinDescriptions(parts), whole);
      }),
    );
  });

  it('keeps its digits far from zero', () => {
    const table = Array.from({ length: 1000 }, (_, r): Row => [1e9 + (r % 2), 0]);
    const x = described(table, 33).columns.x as NumberDescription;
    expect(x.mean).toBeCloseTo(1e9 + 0.5, 6);
    expect(standardDeviation(x)).toBeCloseTo(Math.sqrt(250 / 999), 6);
  });

  it('counts in 64 equal bins over a known range where a person wants to see them, however it is cut', () => {
    const range = [-1000, 1000] as const;
    const ranged = [{ name: 'x', column: { type: 'number', range } as const }, ...columns.slice(1)];
    const histogramOf = (parts: readonly (readonly Row[])[], size: number) => {
      const descriptions = parts.map((part) => described(part, size, ranged, { histograms: true }));
      return (joinDescriptions(descriptions).columns.x as NumberDescription).histogram;
    };
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 20 }), fc.nat(60), (table, size, cut) => {
        const xs = table.map(([x]) => x).filter((x) => !Number.isNaN(x));
        const counts = Array.from(
          { length: 64 },
          (_, bin) => xs.filter((x) => Math.min(63, Math.floor((x + 1000) / 31.25)) === bin).length,
        );
        const parts = [table.slice(0, cut), table.slice(cut)];
        expect(histogramOf(parts, size)).toEqual({ range, counts });
        expect(histogramOf([table], 4096)).toEqual({ range, counts });
      }),
      {
        examples: [
          [
            [
              [-1000, 0],
              [1000, 1],
            ],
            1,
            1,
          ],
        ],
      },
    );
    expect(described([[1, 0]], 1, ranged).columns.x).not.toHaveProperty('histogram');
    expect(described([[1, 0]], 1, columns, { histograms: true }).columns.x).not.toHaveProperty(
      'histogram',
    );
  });
});
