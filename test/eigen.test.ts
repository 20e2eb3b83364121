import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { enableRelaxedSimd } from '../src/node/compute/relaxed-simd.ts';
import {
  type SymmetricEigen,
  symmetricEigen,
  symmetricEigenTwin,
  symmetricEigenvalues,
} from '../src/numeric/eigen.ts';
import { createKernels, type Kernels } from '../src/numeric/kernels.ts';
import { tridiagonalize } from '../src/numeric/tridiagonal.ts';
import { cases } from './endurance.ts';

enableRelaxedSimd();

const builds: readonly (readonly [string, Kernels])[] = [
  ['SIMD128', createKernels({ fused: false })],
  ['relaxed FMA', createKernels({ fused: true })],
];

function symmetric(d: number, entry: (i: number, j: number) => number): Float64Array {
  const a = new Float64Array(d * d);
  for (let i = 0; i < d; i++) {
    for (let j = i; j < d; j++) a[i * d + j] = a[j * d + i] = entry(i, j);
  }
  return a;
}

function random(d: number, seed: number): Float64Array {
  let state = seed | 0;
  return symmetric(d, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2 ** 31;
  });
}

function largest(a: Float64Array): number {
  return a.reduce((worst, x) => Math.max(worst, Math.abs(x)), 0);
}

function largestDifference(a: Float64Array, b: Float64Array): number {
  return largest(a.map((x, i) => x - b[i]!));
}

function column(vectors: Float64Array, d: number, j: number): Float64Array {
  return Float64Array.from({ length: d }, (_, i) => vectors[i * d + j]!);
}

function inner(x: Float64Array, y: Float64Array): number {
  return x.reduce((sum, value, i) => sum + value * y[i]!, 0);
}

function times(a: Float64Array, x: Float64Array): Float64Array {
  const d = x.length;
  return Float64Array.from({ length: d }, (_, i) => inner(a.subarray(i * d, (i + 1) * d), x));
}

/** AV = VΛ, VᵀV = I and ascending values, each to a few ulps of the matrix. */
function expectEigen(a: Float64Array, d: number, { values, vectors }: SymmetricEigen): void {
  const tolerance = 64 * d * Number.EPSILON;
  const size = Math.max(largest(a), Number.MIN_VALUE);
  const columns = Array.from({ length: d }, (_, j) => column(vectors, d, j));
  columns.forEach((v, j) => {
    const expected = v.map((x) => x * values[j]!);
    expect(largestDifference(times(a, v), expected) / size).toBeLessThan(tolerance);
    const off = columns.slice(0, j + 1).map((u, i) => Math.abs(inner(u, v) - (i === j ? 1 : 0)));
    expect(Math.max(...off)).toBeLessThan(tolerance);
    if (j > 0) expect(values[j]).toBeGreaterThanOrEqual(values[j - 1]!);
  });
}

const hard: readonly (readonly [string, number, Float64Array])[] = [
  ['one entry', 1, Float64Array.of(-3)],
  ['zero', 6, new Float64Array(36)],
  ['the identity', 9, symmetric(9, (i, j) => (i === j ? 1 : 0))],
  ['all ones', 12, new Float64Array(144).fill(1)],
  ['a diagonal', 7, symmetric(7, (i, j) => (i === j ? 3 - i : 0))],
  ['graded', 20, symmetric(20, (i, j) => 10 ** -((i + j) / 2))],
  ['Hilbert', 12, symmetric(12, (i, j) => 1 / (i + j + 1))],
  // Wilkinson's W⁺₂₁: pairs of eigenvalues that agree to fifteen digits.
  ['Wilkinson', 21, symmetric(21, (i, j) => (i === j ? Math.abs(10 - i) : j - i === 1 ? 1 : 0))],
  ['huge', 8, random(8, 1).map((x) => x * 1e300)],
  ['tiny', 8, random(8, 2).map((x) => x * 1e-300)],
  ['two blocks of reflections', 67, random(67, 5)],
  ['two blocks of rows', 270, random(270, 6)],
];

describe.each(builds)('symmetric eigenproblem, %s', (_, kernels) => {
  it.each(hard)('AV = VΛ and VᵀV = I: %s', (_, d, a) => {
    expectEigen(a, d, symmetricEigen(kernels, a, d));
  });

  it('values = twin', () => {
    const shape = fc.record({ d: fc.integer({ min: 1, max: 30 }), seed: fc.integer() });
    fc.assert(
      fc.property(shape, ({ d, seed }) => {
        const a = random(d, seed);
        const twin = symmetricEigenTwin(a, d);
        expectEigen(a, d, twin);
        const tolerance = 1e-13 * d;
        expect(largestDifference(symmetricEigen(kernels, a, d).values, twin.values)).toBeLessThan(
          tolerance,
        );
        expect(largestDifference(symmetricEigenvalues(kernels, a, d), twin.values)).toBeLessThan(
          tolerance,
        );
      }),
      { numRuns: cases(40) },
    );
  });

  it.each([1, 2, 3, 4, 17, 50])('QTQᵀ = A at d = %d, and QᵀQ = I', (d) => {
    const a = random(d, d);
    const { diagonal, offDiagonal, applyQ, applyQt } = tridiagonalize(kernels, a, d);
    for (let j = 0; j < d; j++) {
      const unit = Float64Array.from({ length: d }, (_, i) => (i === j ? 1 : 0));
      const x = applyQt(unit);
      const tx = x.map(
        (value, i) =>
          diagonal[i]! * value +
          (i > 0 ? offDiagonal[i - 1]! * x[i - 1]! : 0) +
          (i < d - 1 ? offDiagonal[i]! * x[i + 1]! : 0),
      );
      expect(largestDifference(applyQ(tx), times(a, unit))).toBeLessThan(1e-13);
      expect(largestDifference(applyQ(x), unit)).toBeLessThan(1e-13);
    }
  });

  it('reads only the upper triangle', () => {
    const a = random(10, 4);
    const upper = a.map((x, at) => (at % 10 >= Math.floor(at / 10) ? x : Number.NaN));
    expect(symmetricEigen(kernels, upper, 10)).toEqual(symmetricEigen(kernels, a, 10));
  });

  it('refuses a matrix with a hole', () => {
    const a = Float64Array.of(1, Number.NaN, 0, 1);
    expect(() => symmetricEigen(kernels, a, 2)).toThrow('entry (0, 1) must be finite: NaN');
    expect(() => symmetricEigenvalues(kernels, a, 2)).toThrow(RangeError);
  });
});

// Rounding of the large entries stirs the small ones up in every sweep; they must still count as settled.
it('ends on a wide matrix of low rank', () => {
  const d = 500;
  const cell = (r: number, k: number) => ((r * 31 + k * 17) % 23) / 7;
  const matrix = symmetric(d, (i, j) => {
    let sum = 0;
    for (let r = 0; r < 12; r++) sum += cell(r, i) * cell(r, j);
    return sum;
  });
  for (const [, kernels] of builds) {
    const values = symmetricEigenvalues(kernels, matrix, d);
    const trace = matrix.reduce((sum, x, at) => (at % (d + 1) === 0 ? sum + x : sum), 0);
    expect(values.reduce((a, b) => a + b) / trace).toBeCloseTo(1, 12);
    expect(Math.abs(values[d - 13]) / values[d - 1]).toBeLessThan(1e-13);
    expect(values[d - 12] / values[d - 1]).toBeGreaterThan(1e-6);
  }
});
