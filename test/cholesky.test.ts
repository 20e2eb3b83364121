import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { enableRelaxedSimd } from '../src/node/compute/relaxed-simd.ts';
import {
  type Cholesky,
  type CholeskyFactor,
  cholesky,
  choleskyTwin,
} from '../src/numeric/cholesky.ts';
import { createKernels } from '../src/numeric/kernels.ts';
import { cases, chosen } from './endurance.ts';

enableRelaxedSimd();

const simd = createKernels({ fused: false });
const fused = createKernels({ fused: true });

const implementations: readonly (readonly [string, (a: Float64Array, d: number) => Cholesky])[] = [
  ['twin', choleskyTwin],
  ['SIMD128', (a, d) => cholesky(simd, a, d)],
  ['relaxed FMA', (a, d) => cholesky(fused, a, d)],
];

function factored(result: Cholesky): CholeskyFactor {
  if ('factor' in result) return result.factor;
  throw new Error(`indefinite at ${result.indefiniteAt}`);
}

/** XᵀX + I for a random d × d matrix X: positive definite, condition about d². */
function positiveDefinite(d: number, seed: number): Float64Array {
  let state = seed | 0;
  const x = Float64Array.from({ length: d * d }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2 ** 31;
  });
  return Float64Array.from({ length: d * d }, (_, at) => {
    const [i, j] = [Math.floor(at / d), at % d];
    let sum = i === j ? 1 : 0;
    for (let r = 0; r < d; r++) sum += x[r * d + i]! * x[r * d + j]!;
    return sum;
  });
}

function times(a: Float64Array, x: Float64Array, d: number): Float64Array {
  return Float64Array.from({ length: d }, (_, i) => {
    let sum = 0;
    for (let j = 0; j < d; j++) sum += a[i * d + j]! * x[j]!;
    return sum;
  });
}

function largestDifference(a: Float64Array, b: Float64Array): number {
  return a.reduce((worst, x, i) => Math.max(worst, Math.abs(x - b[i]!)), 0);
}

const small = fc.record({ d: fc.integer({ min: 1, max: 40 }), seed: fc.integer() });

describe.each(implementations)('Cholesky, %s', (_, factorise) => {
  it('A · solve(b) = b', () => {
    fc.assert(
      fc.property(small, ({ d, seed }) => {
        const a = positiveDefinite(d, seed);
        const b = Float64Array.from({ length: d }, (_, i) => Math.cos(i));
        const x = factored(factorise(a, d)).solve(b);
        expect(largestDifference(times(a, x, d), b)).toBeLessThan(1e-11);
      }),
      { numRuns: cases(40) },
    );
  });

  it('reads only the upper triangle', () => {
    const a = positiveDefinite(9, 3);
    const upper = a.map((x, at) => (at % 9 >= Math.floor(at / 9) ? x : Number.NaN));
    expect(factored(factorise(upper, 9)).inverse()).toEqual(factored(factorise(a, 9)).inverse());
  });

  it('ln det of a diagonal matrix is the sum of logarithms', () => {
    const a = Float64Array.of(4, 0, 0, 0, 9, 0, 0, 0, 0.25);
    expect(factored(factorise(a, 3)).logDeterminant()).toBeCloseTo(Math.log(9), 14);
  });

  it.each(chosen([0, 1, 5, 127, 128, 200], 0, 2, 4))(
    'names row %d as the first that is not positive',
    (bad) => {
      const d = 203;
      const a = positiveDefinite(d, 11);
      // Row `bad` repeats row 0 with half its square: no vector has such products.
      if (bad > 0) {
        for (let j = 0; j < d; j++) a[bad * d + j] = a[j * d + bad] = a[j]!;
      }
      a[bad * d + bad] = bad === 0 ? -1 : a[0]! / 2;
      expect(factorise(a, d)).toEqual({ indefiniteAt: bad });
    },
  );

  it('refuses a matrix with a hole', () => {
    const a = Float64Array.of(1, 0, 0, Number.NaN);
    expect(factorise(a, 2)).toEqual({ indefiniteAt: 1 });
  });

  it.each(chosen([1, 2, 3, 4, 5, 127, 128, 130, 259, 301], 0, 1, 3, 4, 5, 6, 7))(
    'inverse · A = I at d = %d',
    (d) => {
      const a = positiveDefinite(d, d);
      const inverse = factored(factorise(a, d)).inverse();
      const product = times(a, inverse.subarray(0, d), d);
      product[0]! -= 1;
      expect(largestDifference(product, new Float64Array(d))).toBeLessThan(1e-9);
      const twin = factored(choleskyTwin(a, d)).inverse();
      expect(largestDifference(inverse, twin)).toBeLessThan(1e-9);
      for (let i = 0; i < d; i++) expect(inverse[i]).toBe(inverse[i * d]);
    },
  );

  it.each(chosen([1, 5, 128, 130, 259], 1, 3))('inverse = R⁻¹R⁻ᵀ at d = %d', (d) => {
    const factor = factored(factorise(positiveDefinite(d, d), d));
    const [inverse, upper] = [factor.inverse(), factor.inverseFactor()];
    const product = inverse.map((_, at) => {
      const [i, j] = [Math.floor(at / d), at % d];
      let sum = 0;
      for (let k = Math.max(i, j); k < d; k++) sum += upper[i * d + k]! * upper[j * d + k]!;
      return sum;
    });
    expect(largestDifference(product, inverse)).toBeLessThan(1e-9);
    const below = upper.filter((_, at) => Math.floor(at / d) > at % d);
    expect(below.every((value) => value === 0)).toBe(true);
  });
});
