import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DoubleDouble,
  dd,
  ddAdd,
  ddDivide,
  ddExp,
  ddLog,
  ddLog1p,
  ddMultiply,
  ddPower,
  ddSqrt,
  ddSubtract,
  twoProduct,
  twoSum,
} from '../src/numeric/double-double.ts';

/** numerator · 2^exponent, exactly: every finite double is one. */
interface Dyadic {
  readonly numerator: bigint;
  readonly exponent: number;
}

function dyadic(value: number): Dyadic {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, value);
  const word = bits.getBigUint64(0);
  const field = Number((word >> 52n) & 0x7ffn);
  const fraction = word & 0xfffffffffffffn;
  const numerator = field === 0 ? fraction : fraction | 0x10000000000000n;
  return { numerator: value < 0 ? -numerator : numerator, exponent: Math.max(field, 1) - 1075 };
}

function plus(a: Dyadic, b: Dyadic): Dyadic {
  const exponent = Math.min(a.exponent, b.exponent);
  const lift = (d: Dyadic) => d.numerator << BigInt(d.exponent - exponent);
  return { numerator: lift(a) + lift(b), exponent };
}

function times(a: Dyadic, b: Dyadic): Dyadic {
  return { numerator: a.numerator * b.numerator, exponent: a.exponent + b.exponent };
}

const negative = (a: Dyadic): Dyadic => ({ ...a, numerator: -a.numerator });
const exact = (a: DoubleDouble): Dyadic => plus(dyadic(a.hi), dyadic(a.lo));
const isZero = (a: Dyadic) => a.numerator === 0n;

/** |a − b| ≤ 2^−bits · |b| */
function agrees(a: Dyadic, b: Dyadic, bits: number): boolean {
  const gap = plus(a, negative(b));
  const size = (d: Dyadic) => (d.numerator < 0n ? negative(d) : d);
  const slack = plus(
    { ...size(b), exponent: b.exponent - bits },
    negative({ ...size(gap), exponent: gap.exponent }),
  );
  return slack.numerator >= 0n;
}

/** A decimal like −1.25e−7 to 2^−200 of itself, far below what is tested. */
function decimal(text: string): Dyadic {
  const [digits = '0', power = '0'] = text.split('e');
  const [whole = '0', fraction = ''] = digits.split('.');
  const tens = Number(power) - fraction.length;
  const numerator = BigInt(whole + fraction);
  if (tens >= 0) return { numerator: numerator * 10n ** BigInt(tens), exponent: 0 };
  return { numerator: (numerator << 1400n) / 10n ** BigInt(-tens), exponent: -1400 };
}

// Exponents of ±200 keep products, quotients and their errors clear of overflow and underflow.
const double = fc
  .tuple(fc.bigInt(-(2n ** 53n), 2n ** 53n), fc.integer({ min: -200, max: 200 }))
  .map(([m, e]) => Number(m) * 2 ** (e - 53));
const doubleDouble = fc
  .tuple(double, fc.double({ min: -1, max: 1, noNaN: true }))
  .map(([hi, part]) => twoSum(hi, hi * part * 2 ** -54));

describe('error-free transformations are exact', () => {
  it('twoSum: hi + lo = a + b and hi = fl(a + b)', () => {
    fc.assert(
      fc.property(double, double, (a, b) => {
        const s = twoSum(a, b);
        expect(s.hi).toBe(a + b);
        expect(isZero(plus(exact(s), negative(plus(dyadic(a), dyadic(b)))))).toBe(true);
      }),
    );
  });

  it.each([1, 2 ** 900, 2 ** -500])('twoProduct: hi + lo = a · b, scaled by %d', (scale) => {
    fc.assert(
      fc.property(double, double, (a, b) => {
        const x = a * scale;
        const p = twoProduct(x, b);
        // Close to the largest double, the halves of a factor overflow.
        fc.pre(Math.abs(p.hi) < 2 ** 1020);
        expect(p.hi).toBe(x * b);
        expect(isZero(plus(exact(p), negative(times(dyadic(x), dyadic(b)))))).toBe(true);
      }),
    );
  });
});

describe('an operation is right to 2⁻¹⁰⁰ of its result', () => {
  const pairs = (law: (a: DoubleDouble, b: DoubleDouble) => boolean) =>
    fc.assert(fc.property(doubleDouble, doubleDouble, law), { numRuns: 500 });

  it('a + b', () => pairs((a, b) => agrees(exact(ddAdd(a, b)), plus(exact(a), exact(b)), 100)));

  it('a − b under cancellation', () =>
    pairs((a, b) => {
      const near = dd(a.hi, b.lo === 0 ? 0 : a.lo / 2);
      return agrees(exact(ddSubtract(a, near)), plus(exact(a), negative(exact(near))), 100);
    }));

  it('a · b', () =>
    pairs((a, b) => agrees(exact(ddMultiply(a, b)), times(exact(a), exact(b)), 100)));

  it('(a / b) · b = a', () =>
    pairs((a, b) => b.hi === 0 || agrees(times(exact(ddDivide(a, b)), exact(b)), exact(a), 100)));

  it('a⁵', () =>
    fc.assert(
      fc.property(fc.double({ min: 0.5, max: 2, noNaN: true }), (x) => {
        const d = dyadic(x);
        const fifth = times(times(times(d, d), times(d, d)), d);
        return agrees(exact(ddPower(dd(x), 5)), fifth, 100);
      }),
    ));
});

interface Vector {
  readonly argument: readonly [number, number];
  readonly value: string;
}

const vectors = JSON.parse(
  readFileSync(new URL('./vectors/double-double.json', import.meta.url), 'utf8'),
) as Record<string, readonly Vector[]>;

describe.each([
  ['ddExp', ddExp],
  ['ddLog', ddLog],
  ['ddLog1p', ddLog1p],
  ['ddSqrt', ddSqrt],
] as const)('%s agrees with mpmath to 2⁻¹⁰⁰', (name, f) => {
  it.each(vectors[name]!.map((v) => [v.argument[0], v] as const))('at %d', (_, v) => {
    const result = exact(f(dd(...v.argument)));
    expect(agrees(result, decimal(v.value), 100)).toBe(true);
  });
});

describe('edges', () => {
  it.each([
    ['e^710 = ∞', ddExp(dd(710)).hi, Number.POSITIVE_INFINITY],
    ['e^−∞ = 0', ddExp(dd(Number.NEGATIVE_INFINITY)).hi, 0],
    ['ln 0 = −∞', ddLog(dd(0)).hi, Number.NEGATIVE_INFINITY],
    ['ln 1 = 0', ddLog(dd(1)).hi, 0],
    ['ln ∞ = ∞', ddLog(dd(Number.POSITIVE_INFINITY)).hi, Number.POSITIVE_INFINITY],
    ['ln −1 is not a number', ddLog(dd(-1)).hi, Number.NaN],
    ['√∞ = ∞', ddSqrt(dd(Number.POSITIVE_INFINITY)).hi, Number.POSITIVE_INFINITY],
    ['√0 = 0', ddSqrt(dd(0)).hi, 0],
    ['√−1 is not a number', ddSqrt(dd(-1)).hi, Number.NaN],
    ['√NaN is not a number', ddSqrt(dd(Number.NaN)).hi, Number.NaN],
  ])('%s', (_, actual, expected) => {
    expect(actual).toBe(expected);
  });
});
