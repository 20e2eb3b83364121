import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  absoluteInterval,
  addIntervals,
  contains,
  expInterval,
  hull,
  type Interval,
  invertInterval,
  logInterval,
  multiplyIntervals,
  negateInterval,
  powerInterval,
  sqrtInterval,
} from '../src/features/interval.ts';
import { centeredReference, originReference, powerOfTwoAbove } from '../src/features/reference.ts';

/** An interval and a value inside it. */
const inside = fc
  .tuple(finite(1e100), finite(1e100), finite(1e100))
  .map((three) => three.sort((a, b) => a - b))
  .map(([low, value, high]) => ({ interval: { low: low!, high: high! }, value: value! }));

const positive = inside.map(({ interval: { low, high }, value }) => {
  const [a, b, c] = [Math.abs(low), Math.abs(value), Math.abs(high)].map((v) => v + 1e-3);
  return { interval: { low: Math.min(a!, b!, c!), high: Math.max(a!, b!, c!) }, value: b! };
});

function finite(limit: number): fc.Arbitrary<number> {
  return fc.oneof(
    fc.double({ min: -limit, max: limit, noNaN: true }),
    fc.double({ min: -10, max: 10, noNaN: true }),
    fc.integer({ min: -4, max: 4 }),
  );
}

type Inside = { readonly interval: Interval; readonly value: number };

describe('an operation on intervals holds the operation on their values', () => {
  it.each<[string, (a: Interval, b: Interval) => Interval, (u: number, v: number) => number]>([
    ['a + b', addIntervals, (u, v) => u + v],
    ['a · b', multiplyIntervals, (u, v) => u * v],
    ['hull', hull, (u) => u],
  ])('%s', (_, operate, apply) => {
    const holds = (a: Inside, b: Inside): void => {
      expect(contains(operate(a.interval, b.interval), apply(a.value, b.value))).toBe(true);
    };
    fc.assert(fc.property(inside, inside, holds));
  });

  it.each<[string, fc.Arbitrary<Inside>, (a: Interval) => Interval, (u: number) => number]>([
    ['−a', inside, negateInterval, (u) => -u],
    ['|a|', inside, absoluteInterval, Math.abs],
    ['a²', inside, (a) => powerInterval(a, 2), (u) => u * u],
    ['a³', inside, (a) => powerInterval(a, 3), (u) => u * u * u],
    ['√a', positive, (a) => sqrtInterval(a)!, Math.sqrt],
    ['ln a', positive, (a) => logInterval(a)!, Math.log],
    ['1/a', positive, (a) => invertInterval(a)!, (u) => 1 / u],
    ['eᵃ', inside.map(shrunk), expInterval, Math.exp],
  ])('%s', (_, values, operate, apply) => {
    fc.assert(
      fc.property(values, ({ interval, value }) => {
        expect(contains(operate(interval), apply(value))).toBe(true);
      }),
    );
  });

  function shrunk({ interval: { low, high }, value }: Inside): Inside {
    return {
      interval: { low: Math.atan(low) * 400, high: Math.atan(high) * 400 },
      value: Math.atan(value) * 400,
    };
  }

  it('has no answer outside its domain', () => {
    expect(logInterval({ low: 0, high: 1 })).toBeUndefined();
    expect(sqrtInterval({ low: -1, high: 1 })).toBeUndefined();
    expect(invertInterval({ low: -1, high: 1 })).toBeUndefined();
  });

  it('an even power is tight: [−2, 3]² starts at 0', () => {
    expect(powerInterval({ low: -2, high: 3 }, 2).low).toBe(0);
    expect(powerInterval({ low: -2, high: 3 }, 2).high).toBeCloseTo(9, 9);
  });
});

describe('a reference holds its interval', () => {
  it('|v − c| ≤ s, s a power of two, c a multiple of s/8', () => {
    fc.assert(
      fc.property(inside, ({ interval, value }) => {
        const centered = centeredReference(interval);
        for (const { center, scale } of [centered, originReference(interval)]) {
          expect(Math.abs(value - center)).toBeLessThanOrEqual(scale);
          expect(powerOfTwoAbove(scale)).toBe(scale);
        }
        const { center, scale } = centered;
        if (interval.low < interval.high) expect(Math.abs((center / scale) * 8) % 1).toBe(0);
      }),
    );
  });

  it.each([
    [3000, 4096],
    [4096, 4096],
    [4097, 8192],
    [1e150, 2 ** 499],
    [0.3, 0.5],
    [2 ** -1000, 2 ** -900],
  ])('the power of two above %d is %d', (value, expected) => {
    expect(powerOfTwoAbove(value)).toBe(expected);
  });

  it('refuses what no number can frame', () => {
    expect(() => centeredReference({ low: 0, high: Number.POSITIVE_INFINITY })).toThrow(RangeError);
    expect(() => originReference({ low: Number.NaN, high: 1 })).toThrow(RangeError);
  });
});
