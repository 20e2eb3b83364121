import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findBlas } from '../src/node/compute/blas.ts';
import { enableRelaxedSimd } from '../src/node/compute/relaxed-simd.ts';
import { choleskyTwin } from '../src/numeric/cholesky.ts';
import { exactGram, exactGramTwin, type Slices } from '../src/numeric/exact-gram.ts';
import { floatGramTwin, type GramAccumulator, type PlainColumn } from '../src/numeric/gram.ts';
import { createKernels } from '../src/numeric/kernels.ts';
import { placeColumns } from './gram-columns.ts';

enableRelaxedSimd();

const kernels = createKernels();
const blas = await findBlas();
if (blas === undefined) process.stderr.write('no BLAS on this machine: its tests are skipped\n');

function noise(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2 ** 31;
  };
}

const shape = fc.record({
  d: fc.integer({ min: 1, max: 13 }),
  rows: fc.integer({ min: 1, max: 1100 }),
  seed: fc.integer(),
});

/** Every third column holds integers, whose lower slices vanish; every other one has a centre. */
function columnsOf(d: number, rows: number, seed: number): PlainColumn[] {
  const next = noise(seed);
  return Array.from({ length: d }, (_, j) => {
    const center = j % 2 === 1 ? 0.5 : 0;
    const value = () => (j % 3 === 0 ? Math.round(3 * next()) : center + 3 * next());
    return { hi: Float64Array.from({ length: rows }, value), center, scale: 4 };
  });
}

function total<T>(
  columns: readonly PlainColumn[],
  rows: number,
  open: (placed: ReturnType<typeof placeColumns>['placed']) => GramAccumulator<T>,
): T {
  return kernels.scoped(() => {
    const { placed, load } = placeColumns(kernels, columns, rows);
    const accumulator = open(placed);
    load(0, rows);
    accumulator.add(rows);
    return accumulator.total();
  });
}

describe.skipIf(blas === undefined)('BLAS', () => {
  // Blocks with and without fractions share their buffers.
  it.each<[string, (r: number, j: number) => number]>([
    ['the largest values', () => 4],
    ['the largest values of either sign', (r, j) => ((r >> j) % 2 === 0 ? 4 : -4)],
    ['just below the largest', () => 4 * (1 - 2 ** -44)],
    ['the largest sums of slices', () => ((2 ** 22 - 2) * 2 ** 22 + 2 ** 21 - 1) / 2 ** 42],
    ['fractions only in later blocks', (r, j) => (r < 256 ? (r + j) % 4 : ((r * 7 + j) % 97) / 30)],
    ['fractions only in earlier blocks', (r, j) => (r < 256 ? ((r * 7 + j) % 97) / 30 : r % 3)],
  ])('exact Gram = twin for %s', (_, value) => {
    const columns = Array.from({ length: 6 }, (_, j) => ({
      hi: Float64Array.from({ length: 1024 }, (_, r) => value(r, j)),
      center: 0,
      scale: 4,
    }));
    for (const slices of [1, 2, 3] as const) {
      const found = total(columns, 1024, (placed) =>
        blas!.exactGram(kernels, placed, 1024, slices),
      );
      expect(found).toEqual(exactGramTwin(columns, 1024, slices));
    }
  });

  it.each<Slices>([1, 2, 3, 4])('exact Gram = kernel = twin, bit for bit, %d slices', (slices) => {
    fc.assert(
      fc.property(shape, ({ d, rows, seed }) => {
        const columns = columnsOf(d, rows, seed);
        const found = total(columns, rows, (placed) =>
          blas!.exactGram(kernels, placed, rows, slices),
        );
        expect(found).toEqual(exactGramTwin(columns, rows, slices));
        expect(found).toEqual(
          total(columns, rows, (placed) => exactGram(kernels, placed, rows, slices)),
        );
      }),
      { numRuns: 25 },
    );
  });

  it('refuses a value outside its scale, naming the column', () => {
    const columns = columnsOf(5, 10, 1);
    columns[3]!.hi[7] = Number.NaN;
    expect(() => total(columns, 10, (placed) => blas!.exactGram(kernels, placed, 10, 2))).toThrow(
      /column 3 /,
    );
  });

  // Integers below 2⁸: nothing rounds, so float Grams agree to the bit too.
  it('float Gram = twin on integers', () => {
    fc.assert(
      fc.property(shape, ({ d, rows, seed }) => {
        const next = noise(seed);
        const columns = Array.from({ length: d }, () => ({
          hi: Float64Array.from({ length: rows }, () => Math.round(100 * next())),
          center: 0,
          scale: 128,
        }));
        const twin = floatGramTwin(columns, rows);
        expect(total(columns, rows, (placed) => blas!.floatGram(kernels, placed, rows))).toEqual(
          twin,
        );
        const matrix = Float64Array.from(
          { length: rows * d },
          (_, at) => columns[at % d]!.hi[Math.floor(at / d)]! / 128,
        );
        expect(blas!.gram(matrix, rows, d)).toEqual(twin);
      }),
      { numRuns: 25 },
    );
  });

  it.skipIf(blas?.choleskySolve === undefined)(
    'solves what the twin solves, and names the same row',
    () => {
      const d = 30;
      const next = noise(5);
      const a = new Float64Array(d * d);
      for (let i = 0; i < d; i++) {
        for (let j = i; j < d; j++) a[i * d + j] = a[j * d + i] = i === j ? d : next();
      }
      const b = Float64Array.from({ length: d }, next);
      const twin = choleskyTwin(a, d);
      const found = blas!.choleskySolve!(a, d, b);
      if (!('factor' in twin && 'solution' in found)) throw new Error('not positive definite');
      twin.factor.solve(b).forEach((x, i) => {
        expect(Math.abs(x - found.solution[i]!)).toBeLessThan(1e-14);
      });
      a[17 * d + 17] = -1;
      expect(blas!.choleskySolve!(a, d, b)).toEqual({ indefiniteAt: 17 });
    },
  );
});

describe('finding a BLAS', () => {
  it('is switched off by "none"', async () => {
    expect(await findBlas({ library: 'none' })).toBeUndefined();
  });

  it('says so when the named library is none', async () => {
    await expect(findBlas({ library: '/nowhere/libblas.so' })).rejects.toThrow(
      '/nowhere/libblas.so',
    );
  });
});
