import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cosineAndSine, LARGEST_ANGLE } from '../src/numeric/cosine.ts';
import { decay } from '../src/numeric/exponential.ts';
import { fourierRows, fourierRowsTwin } from '../src/numeric/fourier-rows.ts';
import { canFuse, createKernels } from '../src/numeric/kernels.ts';

/** mpmath's values; see vectors/cosine.py. */
const vectors = JSON.parse(
  readFileSync(new URL('vectors/cosine.json', import.meta.url), 'utf8'),
) as {
  readonly angles: readonly (readonly [number, number, number, number, number])[];
  readonly exponents: readonly (readonly [number, number, number])[];
};

describe('cosine and sine', () => {
  it('are within 2⁻⁵² of the truth, near multiples of π/2 and up to 2²⁶', () => {
    for (const [angle, cosHigh, cosLow, sinHigh, sinLow] of vectors.angles) {
      const [cosine, sine] = cosineAndSine(angle);
      expect(Math.abs(cosine - cosHigh - cosLow), `cos ${angle}`).toBeLessThan(2 ** -52);
      expect(Math.abs(sine - sinHigh - sinLow), `sin ${angle}`).toBeLessThan(2 ** -52);
    }
  });

  it('are not numbers where the angle is too large, or none', () => {
    for (const angle of [LARGEST_ANGLE * 1.0000001, -1e300, Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(cosineAndSine(angle)).toEqual([Number.NaN, Number.NaN]);
    }
  });

  it.each(canFuse() ? [false, true] : [false])(
    'of the kernel have the bits of the twin (fused build: %s)',
    (fused) => {
      const kernels = createKernels({ fused });
      const angles = [
        ...vectors.angles.map(([angle]) => angle),
        ...fc.sample(fc.double({ min: -7e7, max: 7e7 }), { numRuns: 500, seed: 11 }),
        ...[Number.NaN, Number.NEGATIVE_INFINITY, -0],
      ];
      const [values, cosines, sines] = [0, 0, 0].map(() => kernels.allocate(8 * angles.length + 8));
      kernels.f64(values, angles.length).set(angles);
      kernels.call.fillCosines(values, angles.length, 0.3, 0.7, cosines, sines);
      const twins = angles.map((angle) => cosineAndSine(angle * 0.3));
      const bits = (numbers: ArrayLike<number>) =>
        new BigInt64Array(Float64Array.from(numbers, (value) => value + 0).buffer);
      const at = (pointer: number) => bits(kernels.f64(pointer, angles.length));
      expect(at(cosines)).toEqual(bits(twins.map(([cosine]) => 0.7 * cosine)));
      expect(at(sines)).toEqual(bits(twins.map(([, sine]) => 0.7 * sine)));
    },
  );

  it('of rows have the bits of the twin, however rows are cut', () => {
    const [inner, frequencies, rows] = [5, 7, 601];
    const matrix = Float64Array.from({ length: inner * frequencies }, (_, k) => Math.fround(k / 7));
    const columns = Array.from({ length: inner }, (_, i) => ({
      values: Float64Array.from({ length: rows }, (_, r) => ((r * 37 + i * 11) % 101) / 3),
      center: i,
      scale: 3,
    }));
    const target = () => Array.from({ length: 4 * frequencies }, () => new Float64Array(rows));
    const [fast, plain] = [target(), target()];
    fourierRows(matrix, inner, frequencies, [0.3, 5], 0.1)(columns, rows, fast);
    fourierRowsTwin(matrix, inner, frequencies, [0.3, 5], 0.1)(columns, rows, plain);
    expect(fast).toEqual(plain);
  });
});

describe('the exponential', () => {
  it('is within one unit in the last place of the truth', () => {
    for (const [x, high, low] of vectors.exponents) {
      const ulp = 2 ** (Math.floor(Math.log2(high)) - 52);
      expect(Math.abs(decay(-x) - high - low), `e^-${x}`).toBeLessThan(ulp);
    }
  });

  it('is 0 where it is not a normal number, and no number above 0', () => {
    expect([-709, -1e300, Number.NEGATIVE_INFINITY].map(decay)).toEqual([0, 0, 0]);
    expect(decay(0.1)).toBeNaN();
  });
});
