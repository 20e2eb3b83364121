import { describe, expect, it } from 'vitest';
import { enableRelaxedSimd } from '../src/node/compute/relaxed-simd.ts';
import { choleskyTwin } from '../src/numeric/cholesky.ts';
import { createKernels } from '../src/numeric/kernels.ts';
import { ridgePath } from '../src/numeric/ridge-path.ts';

enableRelaxedSimd();
const kernels = createKernels();

/** A regression of n rows on d columns with its products, from a seeded stream. */
function regression(n: number, d: number) {
  let state = 9;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2 ** 31;
  };
  const rows = Array.from({ length: n }, () => Float64Array.from({ length: d }, next));
  const y = rows.map((row) => row[0]! - 2 * row[d - 1]! + 0.3 * next());
  const gram = new Float64Array(d * d);
  const moment = new Float64Array(d);
  rows.forEach((row, r) => {
    for (let i = 0; i < d; i++) {
      moment[i]! += row[i]! * y[r]!;
      for (let j = 0; j < d; j++) gram[i * d + j]! += row[i]! * row[j]!;
    }
  });
  const square = y.reduce((sum, value) => sum + value * value, 0);
  return { rows, y, gram, moment, square };
}

const lambdas = [0, 1e-6, 0.01, 1, 30, 1e4];

describe('ridge path', () => {
  it.each([1, 2, 7, 40])('every λ agrees with its own Cholesky solve at d = %d', (d) => {
    const n = 3 * d + 5;
    const { rows, y, gram, moment, square } = regression(n, d);
    const path = ridgePath(kernels, gram, d, moment, square, n, 1);
    for (const [at, ridge] of lambdas.entries()) {
      const penalised = gram.map((g, k) => (k % (d + 1) === 0 ? g + ridge : g));
      const result = choleskyTwin(penalised, d);
      if (!('factor' in result)) throw new Error('not positive definite');
      const beta = result.factor.solve(moment);
      const inverse = result.factor.inverse();
      const residual = (row: Float64Array, r: number) =>
        y[r]! - row.reduce((sum, x, j) => sum + x * beta[j]!, 0);
      const rss = rows.reduce((sum, row, r) => sum + residual(row, r) ** 2, 0);
      const edf = 1 + gram.reduce((sum, g, k) => sum + g * inverse[k]!, 0);
      const point = path.at(lambdas[at]!);
      expect(point.ridge).toBe(ridge);
      expect(Math.abs(point.rss / rss - 1)).toBeLessThan(1e-10);
      expect(Math.abs(point.edf / edf - 1)).toBeLessThan(1e-10);
      expect(Math.abs(point.gcv / ((n * rss) / (n - edf) ** 2) - 1)).toBeLessThan(1e-9);
      path.coefficients(ridge).forEach((b, j) => {
        expect(Math.abs(b - beta[j]!)).toBeLessThan(1e-11);
      });
    }
  });

  it('has no fit where G + λI is not positive definite', () => {
    const gram = Float64Array.of(1, 2, 2, 1);
    const path = ridgePath(kernels, gram, 2, Float64Array.of(1, 1), 4, 10);
    expect(path.at(0.5)).toEqual({
      ridge: 0.5,
      edf: Number.NaN,
      rss: Number.NaN,
      gcv: Number.NaN,
    });
    expect(path.at(2).gcv).toBeGreaterThan(0);
    expect(path.coefficients(0.5)).toEqual(Float64Array.of(Number.NaN, Number.NaN));
  });
});
