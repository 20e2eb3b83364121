import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  averageBits,
  factorsBits,
  kfacWidths,
  layerBits,
  paperRank,
  rankWithin,
  regMeanWidths,
} from '../src/network/bit-budget.ts';
import {
  compressFactor,
  eigenBits,
  restoredFactor,
  singularBits,
} from '../src/network/compress-factor.ts';
import { leNet } from '../src/network/known-networks.ts';
import { planNetwork } from '../src/network/network-plan.ts';
import {
  nearest,
  quantise,
  quantisedBits,
  quantiseLayers,
  restored,
  upward,
} from '../src/network/quantise.ts';
import { apart, drawnGram, smallPlan, stream } from './network-sites.ts';

const numbers = fc.record({
  values: fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), {
    minLength: 1,
    maxLength: 30,
  }),
  bits: fc.integer({ min: 2, max: 24 }),
});

describe('the quantiser', () => {
  it.each([
    ['upward', upward, 1],
    ['nearest', nearest, 0.5],
  ])('%s is off by at most its part of a level, and never leaves its bits', (_, rounding, part) => {
    fc.assert(
      fc.property(numbers, ({ values, bits }) => {
        const plain = Float64Array.from(values);
        const { largest, levels, ...rest } = quantise(plain, bits, rounding);
        const most = 2 ** (bits - 1) - 1;
        expect(levels.every((level) => Math.abs(level) <= most)).toBe(true);
        const back = restored({ largest, levels, ...rest });
        // A float32 holds the largest number to 2⁻²⁴ of itself.
        const allowed = (part / most + 2 ** -23) * largest + 1e-45;
        expect(apart(back, plain)).toBeLessThanOrEqual(allowed);
        expect(back.every((value, k) => value === 0 || value > 0 === plain[k] > 0)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('upward never makes a size smaller, and keeps what is not 0', () => {
    const plain = stream(3, 500);
    const { levels } = quantise(plain, 8, upward);
    expect(levels.every((level, k) => plain[k] === 0 || level !== 0)).toBe(true);
  });

  it('nearest takes the even one of two', () => {
    // Three bits: levels −3 … 3 of 3, so the sizes 0.5, 1.5 and 2.5 lie between two.
    const { levels } = quantise(Float64Array.of(3, 0.5, 1.5, -2.5), 3, nearest);
    expect(Array.from(levels)).toEqual([3, 0, 2, -2]);
    expect(Array.from(quantise(Float64Array.of(3, 0.5, -2.1), 3, upward).levels)).toEqual([
      3, 1, -3,
    ]);
  });

  it.each([
    [2, Int8Array],
    [8, Int8Array],
    [9, Int16Array],
    [16, Int16Array],
    [17, Int32Array],
    [32, Int32Array],
  ] as const)('with %d bits gives the narrowest array', (bits, kind) => {
    const quantised = quantise(stream(1, 10), bits, nearest);
    expect(quantised.levels).toBeInstanceOf(kind);
    expect(quantisedBits(quantised)).toBe(10 * bits + 32);
  });

  it('of zeros is zeros', () => {
    const quantised = quantise(new Float64Array(3), 8, upward);
    expect(Array.from(restored(quantised))).toEqual([0, 0, 0]);
  });

  it.each([
    [Number.NaN, 8, 'numbers to quantise must be finite'],
    [Number.POSITIVE_INFINITY, 8, 'numbers to quantise must be finite'],
    [1e39, 8, 'float32 must hold them'],
    [1, 1, 'bits must be a whole number from 2 to 32: 1'],
  ])('refuses %d with %d bits', (value, bits, message) => {
    expect(() => quantise(Float64Array.of(0, value), bits, nearest)).toThrow(message);
  });
});

describe('a compressed factor', () => {
  const width = 12;
  const packed = drawnGram(8, 30, width);

  it('of full rank and many bits is the matrix', () => {
    const compressed = compressFactor(packed, width, width, 32, nearest);
    expect(apart(restoredFactor(compressed), packed)).toBeLessThan(1e-6);
  });

  it('keeps the largest eigenvalues, and no more than there are', () => {
    const { values, vectors } = compressFactor(packed, width, 4, 16, nearest);
    expect(values.levels.length).toBe(4);
    expect(vectors.levels.length).toBe(4 * width);
    expect(Array.from(values.levels)).toEqual(Array.from(values.levels).sort((a, b) => b - a));
    expect(compressFactor(packed, width, 99, 16, nearest).values.levels.length).toBe(width);
  });

  it.each([9, 32])('has the bits that are counted, with %d for an eigenvalue', (bits) => {
    const { values, vectors } = compressFactor(packed, width, 4, 9, nearest, bits);
    expect(quantisedBits(values) + quantisedBits(vectors)).toBe(eigenBits(9, bits)(width, 4));
  });

  it('keeps small eigenvalues only if they have bits enough', () => {
    const wide = Float64Array.of(1000, 0, 1);
    expect(restoredFactor(compressFactor(wide, 2, 2, 8, nearest))[2]).toBe(0);
    expect(restoredFactor(compressFactor(wide, 2, 2, 8, nearest, 32))[2]).toBeCloseTo(1, 5);
  });
});

describe('the bits of LeNet', () => {
  const plan = planNetwork(leNet, { channels: 1, height: 28, width: 28 }, 10);
  const widths = kfacWidths(plan);
  const rest = averageBits(plan) - layerBits(plan, 16);

  it('are those of FedFisher’s code, 1.034 times those of an average', () => {
    expect(averageBits(plan)).toBe(32 * 44_190);
    expect(paperRank(plan, widths)).toBe(50);
    // The code leaves out the largest weight of each layer.
    const bits = factorsBits(widths, 50, singularBits(9)) + 16 * plan.weights;
    expect(bits / averageBits(plan)).toBeCloseTo(1.034, 3);
    expect(factorsBits(widths, 1000, (width) => 32 * width * width)).toBe(32 * 131_965);
  });

  it.each([
    ['singular vectors of both sides', singularBits(9), 46],
    ['singular vectors of both sides, 8 bits', singularBits(8), 52],
    ['eigenvectors', eigenBits(9), 97],
    ['eigenvectors, 8 bits', eigenBits(8), 112],
    ['eigenvectors, 8 bits, and eigenvalues, 32', eigenBits(8, 32), 109],
  ])('stay within an average’s: %s', (_, bitsOf, rank) => {
    const found = rankWithin(widths, rest, bitsOf);
    expect(found).toBe(rank);
    expect(factorsBits(widths, found, bitsOf)).toBeLessThanOrEqual(rest);
    expect(factorsBits(widths, found + 1, bitsOf)).toBeGreaterThan(rest);
  });

  it('leave no rank where there is no room', () => {
    expect(rankWithin(widths, 100, eigenBits(8))).toBe(0);
    expect(rankWithin(regMeanWidths(plan), 1e9, eigenBits(8))).toBe(256);
  });

  it('of quantised layers are those that are counted', () => {
    const layers = quantiseLayers(smallPlan, stream(1, smallPlan.weights), 16, nearest);
    const counted = layers.reduce((sum, layer) => sum + quantisedBits(layer), 0);
    expect(counted).toBe(layerBits(smallPlan, 16));
  });
});
