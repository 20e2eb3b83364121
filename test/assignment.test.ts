import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignment } from '../src/network/assignment.ts';

/** The lowest cost of pairing all of the shorter side, by trying every way. */
function cheapest(costs: Float64Array, rows: number, columns: number): number {
  const cost = (row: number, used: ReadonlySet<number>, skips: number): number => {
    if (row === rows) return 0;
    let best = skips > 0 ? cost(row + 1, used, skips - 1) : Number.POSITIVE_INFINITY;
    for (let j = 0; j < columns; j++) {
      if (used.has(j)) continue;
      const rest = cost(row + 1, new Set([...used, j]), skips);
      best = Math.min(best, costs[row * columns + j] + rest);
    }
    return best;
  };
  return cost(0, new Set(), Math.max(0, rows - columns));
}

const whole = fc
  .record({ rows: fc.integer({ min: 1, max: 5 }), columns: fc.integer({ min: 1, max: 5 }) })
  .chain(({ rows, columns }) =>
    fc
      .array(fc.integer({ min: -20, max: 20 }), {
        minLength: rows * columns,
        maxLength: rows * columns,
      })
      .map((costs) => ({ rows, columns, costs: Float64Array.from(costs) })),
  );

describe('the cheapest assignment', () => {
  // Whole numbers add without rounding, so the costs agree exactly.
  it('costs as much as the best of all ways', () => {
    fc.assert(
      fc.property(whole, ({ rows, columns, costs }) => {
        const found = assignment(costs, rows, columns);
        const pairs = Array.from(found.entries()).filter(([, column]) => column >= 0);
        expect(new Set(pairs.map(([, column]) => column)).size).toBe(Math.min(rows, columns));
        const cost = pairs.reduce((sum, [row, column]) => sum + costs[row * columns + column], 0);
        expect(cost).toBe(cheapest(costs, rows, columns));
      }),
      { numRuns: 150 },
    );
  });

  it('finds the permutation behind a wide matrix', () => {
    const n = 200;
    const hidden = Array.from({ length: n }, (_, i) => (i * 77 + 13) % n);
    const costs = Float64Array.from({ length: n * n }, (_, at) => {
      const [i, j] = [Math.floor(at / n), at % n];
      return ((hidden[i] - j) * 0.37) ** 2;
    });
    expect(Array.from(assignment(costs, n, n))).toEqual(hidden);
  });

  it('refuses costs that are not numbers', () => {
    expect(() => assignment(Float64Array.of(Number.NaN), 1, 1)).toThrow('costs must be finite');
  });
});
