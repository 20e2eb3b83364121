import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { enableRelaxedSimd } from '../src/node/compute/relaxed-simd.ts';
import {
  BLOCKS_PER_SPILL,
  exactGram,
  exactGramTwin,
  type Slices,
  wordsPerEntry,
} from '../src/numeric/exact-gram.ts';
import type { PlainColumn } from '../src/numeric/gram.ts';
import { createKernels, type Kernels } from '../src/numeric/kernels.ts';
import { cases } from './endurance.ts';
import { placeColumns } from './gram-columns.ts';

enableRelaxedSimd();

const builds: readonly (readonly [string, Kernels])[] = [
  ['SIMD128', createKernels({ fused: false })],
  ['relaxed FMA', createKernels({ fused: true })],
];
const everySlices: readonly Slices[] = [1, 2, 3, 4];

/** The kernel's total over the columns, handed over in batches of the given sizes. */
function kernelTotal(
  kernels: Kernels,
  columns: readonly PlainColumn[],
  batches: readonly number[],
  slices: Slices,
): Uint32Array {
  return kernels.scoped(() => {
    const { placed, load } = placeColumns(kernels, columns, Math.max(1, ...batches));
    const accumulator = exactGram(kernels, placed, Math.max(1, ...batches), slices);
    let first = 0;
    for (const rows of batches) {
      load(first, rows);
      accumulator.add(rows);
      first += rows;
    }
    return accumulator.total();
  });
}

function integers(total: Uint32Array, slices: Slices): bigint[] {
  const words = wordsPerEntry(slices);
  return Array.from({ length: total.length / words }, (_, entry) => {
    let value = 0n;
    for (let w = words - 1; w >= 0; w--) {
      value = (value << 32n) | BigInt(total[entry * words + w]!);
    }
    return BigInt.asIntN(32 * words, value);
  });
}

const unit = fc.double({ min: -1, max: 1, noNaN: true });
// Values a site may hold: anything in range, the ends, integers of a small grid, next to nothing, half a grid step.
const share = fc.oneof(
  { weight: 4, arbitrary: unit },
  { weight: 2, arbitrary: fc.constantFrom(-1, 1, 0, -0, 2 ** -45, -(2 ** -45), 3 * 2 ** -45) },
  { weight: 2, arbitrary: fc.integer({ min: -64, max: 64 }).map((k) => k / 64) },
  { weight: 1, arbitrary: unit.map((u) => u * 2 ** -60) },
);

function columnOf(rows: number): fc.Arbitrary<PlainColumn> {
  return fc
    .record({
      shares: fc.array(share, { minLength: rows, maxLength: rows }),
      exponent: fc.integer({ min: -30, max: 30 }),
      center: fc.constantFrom(0, 0, 1, 0.1, -1e6, 123.456),
      tail: fc.option(unit),
    })
    .map(({ shares, exponent, center, tail }) => {
      const scale = 2 ** exponent;
      // Rounding of center + … may leave the scale by an ulp of the center, so stay a little inside.
      const inside = center === 0 ? 1 : 0.5;
      const hi = Float64Array.from(shares, (u) => center + u * scale * inside);
      const fits = hi.every((x) => Math.abs(x - center) <= scale);
      const column = { hi: fits ? hi : hi.fill(center), center, scale };
      if (tail === null || center === 0) return column;
      return { ...column, lo: hi.map((x) => (tail * Math.min(Math.abs(x), scale)) / 2 ** 54) };
    });
}

const design = fc
  .record({ d: fc.integer({ min: 1, max: 13 }), rows: fc.integer({ min: 1, max: 600 }) })
  .chain(({ d, rows }) =>
    fc.record({
      rows: fc.constant(rows),
      columns: fc.array(columnOf(rows), { minLength: d, maxLength: d }),
    }),
  );

describe.each(builds)('exact Gram, %s', (_, kernels) => {
  it.each(everySlices)('kernel = twin, bit for bit, with %d slices', (slices) => {
    fc.assert(
      fc.property(design, ({ columns, rows }) => {
        expect(kernelTotal(kernels, columns, [rows], slices)).toEqual(
          exactGramTwin(columns, rows, slices),
        );
      }),
      { numRuns: cases(25) },
    );
  });

  it.each(everySlices)('any partition and order of the rows: same bits, %d slices', (slices) => {
    const shuffled = design.chain(({ columns, rows }) =>
      fc.record({
        columns: fc.constant(columns),
        order: fc.shuffledSubarray(
          Array.from({ length: rows }, (_, r) => r),
          { minLength: rows },
        ),
        cut: fc.integer({ min: 0, max: rows }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ columns, order, cut }) => {
        const permuted = columns.map((column) => ({
          ...column,
          hi: Float64Array.from(order, (r) => column.hi[r]!),
          ...(column.lo && { lo: Float64Array.from(order, (r) => column.lo![r]!) }),
        }));
        expect(kernelTotal(kernels, permuted, [cut, order.length - cut], slices)).toEqual(
          kernelTotal(kernels, columns, [order.length], slices),
        );
      }),
      { numRuns: cases(25) },
    );
  });

  it.each(everySlices)('planes spill before they overflow: n rows of ±1, %d slices', (slices) => {
    const batch = 256 * 64;
    // Without a spill the top plane would pass 2⁶³ after 2048 blocks.
    const batches = (2 * BLOCKS_PER_SPILL) / 64 + 3;
    const ones = new Float64Array(batch).fill(1);
    const columns = [
      { hi: ones, center: 0, scale: 1 },
      { hi: ones.map((x) => -x), center: 0, scale: 1 },
    ];
    const total = kernels.scoped(() => {
      const { placed, load } = placeColumns(kernels, columns, batch);
      const accumulator = exactGram(kernels, placed, batch, slices);
      load(0, batch);
      for (let k = 0; k < batches; k++) accumulator.add(batch);
      return accumulator.total();
    });
    const n = BigInt(batch * batches) << BigInt(44 * slices);
    expect(integers(total, slices)).toEqual([n, -n, n]);
  });

  // Both slices at their largest in every row, where every plane grows fastest.
  it('planes spill before they overflow: slices at their bounds', () => {
    const batch = 256 * 64;
    const batches = (2 * BLOCKS_PER_SPILL) / 64 + 1;
    const u = 1 - 2 ** -23;
    const columns = [{ hi: new Float64Array(batch).fill(u), center: 0, scale: 1 }];
    const total = kernels.scoped(() => {
      const { placed, load } = placeColumns(kernels, columns, batch);
      const accumulator = exactGram(kernels, placed, batch, 2);
      load(0, batch);
      for (let k = 0; k < batches; k++) accumulator.add(batch);
      return accumulator.total();
    });
    const grid = BigInt(u * 2 ** 44);
    expect(integers(total, 2)).toEqual([grid * grid * BigInt(batch * batches)]);
  });

  // Their sum is largest, 3·2²¹ − 3, and odd: 227 squares of it are exact in float64, 256 are not.
  it('adds the sums of two slices at their bound exactly', () => {
    const u = ((2 ** 22 - 2) * 2 ** 22 + 2 ** 21 - 1) / 2 ** 44;
    const columns = [u, -u].map((x) => ({
      hi: new Float64Array(600).fill(x),
      center: 0,
      scale: 1,
    }));
    expect(kernelTotal(kernels, columns, [600], 2)).toEqual(exactGramTwin(columns, 600, 2));
  });

  it.each([
    [Number.NaN, everySlices],
    [Number.POSITIVE_INFINITY, everySlices],
    [1.001, everySlices],
    [-2, everySlices],
    [1 + 2 ** -44, everySlices.slice(1)],
  ])('refuses %d, naming the column', (bad, refusing) => {
    for (const slices of refusing) {
      for (const at of [4, 5]) {
        const columns = Array.from({ length: 7 }, (_, j) => ({
          hi: Float64Array.of(0.5, j === at ? bad : 0.25, 1),
          center: 0,
          scale: 1,
        }));
        const refusal = `column ${at} `;
        expect(() => kernelTotal(kernels, columns, [3], slices)).toThrow(refusal);
        expect(() => exactGramTwin(columns, 3, slices)).toThrow(refusal);
      }
    }
  });

  it('has no total once a value was refused', () => {
    kernels.scoped(() => {
      const columns = [{ hi: Float64Array.of(3), center: 0, scale: 1 }];
      const { placed, load } = placeColumns(kernels, columns, 1);
      const accumulator = exactGram(kernels, placed, 1, 2);
      load(0, 1);
      expect(() => accumulator.add(1)).toThrow(RangeError);
      expect(() => accumulator.total()).toThrow(RangeError);
    });
  });
});

describe('the grid', () => {
  it.each(everySlices)('rounds ties to even once, seeing the low part, %d slices', (slices) => {
    const step = 2 ** (-22 * slices);
    const tie = { hi: Float64Array.of(step / 2, 1.5 * step), center: 0, scale: 1 };
    expect(integers(exactGramTwin([tie], 2, slices), slices)).toEqual([4n]);
    const above = { ...tie, lo: Float64Array.of(step * 2 ** -80, -step * 2 ** -80) };
    const seen = slices <= 2 ? 4n : 2n;
    expect(integers(exactGramTwin([above], 2, slices), slices)).toEqual([seen]);
    for (const [, kernels] of builds) {
      expect(integers(kernelTotal(kernels, [above], [2], slices), slices)).toEqual([seen]);
    }
  });

  it('refuses a scale that is no power of two', () => {
    expect(() => exactGramTwin([{ hi: Float64Array.of(1), center: 0, scale: 3 }], 1, 2)).toThrow(
      'the scale of column 0 must be a power of two from 2^-800 to 2^800: 3',
    );
  });
});
