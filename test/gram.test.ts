import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { enableRelaxedSimd } from '../src/node/compute/relaxed-simd.ts';
import { floatGram, floatGramTwin, gramRows, type PlainColumn } from '../src/numeric/gram.ts';
import { createKernels, type Kernels } from '../src/numeric/kernels.ts';
import { cases } from './endurance.ts';
import { placeColumns } from './gram-columns.ts';

enableRelaxedSimd();

const builds: readonly (readonly [string, Kernels])[] = [
  ['SIMD128', createKernels({ fused: false })],
  ['relaxed FMA', createKernels({ fused: true })],
];

const shape = fc.record({
  d: fc.integer({ min: 1, max: 13 }),
  rows: fc.integer({ min: 1, max: 600 }),
  seed: fc.integer(),
});

function noise(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2 ** 31;
  };
}

function columnsOf(d: number, rows: number, value: (j: number) => number): PlainColumn[] {
  return Array.from({ length: d }, (_, j) => ({
    hi: Float64Array.from({ length: rows }, () => value(j)),
    center: 0.25 * j,
    scale: 2 ** (j % 3),
  }));
}

function kernelTotal(
  kernels: Kernels,
  columns: readonly PlainColumn[],
  rows: number,
): Float64Array {
  return kernels.scoped(() => {
    const { placed, load } = placeColumns(kernels, columns, rows);
    const accumulator = floatGram(kernels, placed, rows);
    load(0, rows);
    accumulator.add(rows);
    return accumulator.total();
  });
}

function largestDifference(a: Float64Array, b: Float64Array): number {
  return a.reduce((worst, x, i) => Math.max(worst, Math.abs(x - b[i]!)), 0);
}

describe.each(builds)('float Gram, %s', (_, kernels) => {
  // Multiples of 2⁻⁸ below 1: 600 products are whole multiples of 2⁻²⁰ that float64 adds without rounding.
  it('kernel = twin, bit for bit, on values of a coarse grid', () => {
    fc.assert(
      fc.property(shape, ({ d, rows, seed }) => {
        const next = noise(seed);
        const columns = columnsOf(d, rows, (j) => 0.25 * j + Math.round(next() * 64) / 64);
        expect(kernelTotal(kernels, columns, rows)).toEqual(floatGramTwin(columns, rows));
      }),
      { numRuns: cases(50) },
    );
  });

  it('kernel ≈ twin within n ulps on any values', () => {
    fc.assert(
      fc.property(shape, ({ d, rows, seed }) => {
        const next = noise(seed);
        const columns = columnsOf(d, rows, (j) => 0.25 * j + next());
        const difference = largestDifference(
          kernelTotal(kernels, columns, rows),
          floatGramTwin(columns, rows),
        );
        expect(difference).toBeLessThanOrEqual(rows * rows * 2 ** -53);
      }),
      { numRuns: cases(50) },
    );
  });

  it('rows and columns give the same Gram', () => {
    fc.assert(
      fc.property(shape, ({ d, rows, seed }) => {
        const next = noise(seed);
        const matrix = Float64Array.from({ length: rows * d }, next);
        const columns = Array.from({ length: d }, (_, j) => ({
          hi: Float64Array.from({ length: rows }, (_, r) => matrix[r * d + j]!),
          center: 0,
          scale: 1,
        }));
        expect(gramRows(kernels, matrix, rows, d)).toEqual(kernelTotal(kernels, columns, rows));
      }),
      { numRuns: cases(50) },
    );
  });

  it('is wide enough for several cache blocks of panels', () => {
    const next = noise(7);
    const columns = columnsOf(301, 5, (j) => 0.25 * j + Math.round(next() * 64) / 64);
    expect(kernelTotal(kernels, columns, 5)).toEqual(floatGramTwin(columns, 5));
  });

  it('refuses more rows than the buffers hold', () => {
    kernels.scoped(() => {
      const accumulator = floatGram(kernels, [{ hi: 65536, lo: 0, center: 0, scale: 1 }], 4);
      expect(() => accumulator.add(5)).toThrow('rows must be a whole number from 0 to 4: 5');
    });
  });
});
