import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chiSquareTail,
  chiSquareTailLog,
  fTail,
  fTailLog,
  normalQuantile,
  normalTail,
  normalTailLog,
  normalUpperTail,
  normalUpperTailLog,
  studentQuantile,
  studentTail,
  studentTailLog,
} from '../src/numeric/distributions.ts';
import { logBeta, logGamma } from '../src/numeric/gamma.ts';
import { logIncompleteBeta } from '../src/numeric/incomplete-beta.ts';

/** `value` and `log` come from R, `exact` and `exactLog` from mpmath. */
interface Vector {
  readonly f: string;
  readonly arguments: readonly number[];
  readonly value: number;
  readonly exact: string;
  readonly exactLog?: string;
}

const vectors = JSON.parse(
  readFileSync(new URL('./vectors/distributions.json', import.meta.url), 'utf8'),
) as readonly Vector[];

type Numeric = (...args: number[]) => number;

const values: Record<string, Numeric> = {
  student: studentTail as Numeric,
  f: fTail as Numeric,
  chiSquare: chiSquareTail as Numeric,
  normal: normalTail as Numeric,
  normalQuantile: normalQuantile as Numeric,
  studentQuantile: studentQuantile as Numeric,
  logGamma: logGamma as Numeric,
  logBeta: logBeta as Numeric,
};

const logs: Record<string, Numeric> = {
  student: studentTailLog as Numeric,
  f: fTailLog as Numeric,
  chiSquare: chiSquareTailLog as Numeric,
  normal: normalTailLog as Numeric,
};

const relativeError = (actual: number, expected: number) =>
  actual === expected ? 0 : Math.abs(actual - expected) / Math.abs(expected);

/** The cases where `error` exceeds `limit`, so that a failure names them. */
function offenders(cases: readonly Vector[], limit: number, error: (v: Vector) => number) {
  return cases.filter((v) => !(error(v) <= limit)).map((v) => [v.arguments, error(v)]);
}

describe.each(Object.keys(values))('%s', (name) => {
  const cases = vectors.filter((v) => v.f === name);
  const normalRange = cases.filter((v) => Math.abs(Number(v.exact)) > 1e-300);

  it('agrees with mpmath to 2e-14', () => {
    const error = (v: Vector) => relativeError(values[name]!(...v.arguments), Number(v.exact));
    expect(offenders(normalRange, 2e-14, error)).toEqual([]);
  });

  it('agrees with R to 1e-12 wherever R agrees with mpmath', () => {
    const reliable = normalRange.filter((v) => relativeError(v.value, Number(v.exact)) < 5e-13);
    expect(reliable.length).toBeGreaterThan(0.9 * normalRange.length);
    const error = (v: Vector) => relativeError(values[name]!(...v.arguments), v.value);
    expect(offenders(reliable, 1e-12, error)).toEqual([]);
  });
});

describe.each(Object.keys(logs))('ln of the %s tail', (name) => {
  it('agrees with mpmath to 2e-14, however far out', () => {
    const cases = vectors.filter((v) => v.f === name);
    const error = (v: Vector) => relativeError(logs[name]!(...v.arguments), Number(v.exactLog));
    expect(offenders(cases, 2e-14, error)).toEqual([]);
  });
});

const positive = (min: number, max: number) =>
  fc.double({ min: Math.log(min), max: Math.log(max), noNaN: true }).map(Math.exp);

function near(actual: number, expected: number, limit = 1e-13): void {
  expect(relativeError(actual, expected)).toBeLessThanOrEqual(limit);
}

describe('laws', () => {
  it('P(|T₁| > t) = 2 arctan(1/t) / π', () => {
    fc.assert(
      fc.property(positive(1e-6, 1e12), (t) =>
        near(studentTail(t, 1), (2 * Math.atan(1 / t)) / Math.PI),
      ),
    );
  });

  it('P(χ²₂ > x) = e^(−x/2)', () => {
    fc.assert(fc.property(positive(1e-6, 1400), (x) => near(chiSquareTailLog(x, 2), -x / 2)));
  });

  it('P(F₁,df > t²) = P(|T| > t)', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), positive(0.3, 1e7), (t, df) =>
        near(fTail(t * t, 1, df), studentTail(t, df)),
      ),
    );
  });

  it('P(F > f) = 1 − P(1/F > 1/f), degrees exchanged', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -3, max: 3 }),
        positive(0.5, 1e4),
        positive(0.5, 1e4),
        (power, df1, df2) => {
          const f = 2 ** power;
          near(fTail(f, df1, df2) + fTail(1 / f, df2, df1), 1);
        },
      ),
    );
  });

  it('Iₓ(a, b) + I_y(b, a) = 1', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 63 }),
        positive(0.1, 1e5),
        positive(0.1, 1e5),
        (k, a, b) => {
          const [x, y] = [k / 64, 1 - k / 64];
          near(
            Math.exp(logIncompleteBeta(x, y, a, b)) + Math.exp(logIncompleteBeta(y, x, b, a)),
            1,
          );
        },
      ),
    );
  });

  it('Student tends to the normal', () => {
    near(studentTail(3, 1e18), normalTail(3));
    expect(studentTail(3, Number.POSITIVE_INFINITY)).toBe(normalTail(3));
    expect(studentQuantile(0.975, Number.POSITIVE_INFINITY)).toBe(normalQuantile(0.975));
  });

  it.each([0, 5e-324, 1.5717277847026288e-162, 1e-100, 1e-99, 1e-9])(
    'P(Z > z) is just below 1/2 for z = %s, and so is the tail of chi-square below 1',
    (z) => {
      near(normalUpperTail(z), 0.5 - z / Math.sqrt(2 * Math.PI));
      near(normalTailLog(z), Math.log1p(-z * Math.sqrt(2 / Math.PI)));
      near(chiSquareTail(z, 2), Math.exp(-z / 2));
    },
  );

  it('P(Z > z) + P(Z > −z) = 1', () => {
    fc.assert(
      fc.property(fc.double({ min: -9, max: 9, noNaN: true }), (z) => {
        near(normalUpperTail(z) + normalUpperTail(-z), 1);
        near(Math.exp(normalUpperTailLog(z)), normalUpperTail(z), 1e-12);
      }),
    );
  });

  it('a quantile is where the tail is: P(|T| > t_p) = 2(1 − p)', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 0.49 }), positive(0.2, 1e8), (tail, df) => {
        fc.pre(Number.isFinite(tail));
        near(studentTail(studentQuantile(tail, df), df), 2 * tail, 1e-12);
      }),
    );
  });
});

describe('edges', () => {
  const { POSITIVE_INFINITY: infinity, NEGATIVE_INFINITY: minus, NaN: nan } = Number;
  it.each([
    ['t = 0 is no evidence', studentTail(0, 5), 1],
    ['t = ∞', studentTail(infinity, 5), 0],
    ['ln at t = −∞', studentTailLog(minus, 5), minus],
    ['t is not a number', studentTail(nan, 5), nan],
    ['no degrees of freedom', studentTail(2, 0), nan],
    ['the sign of t does not matter', studentTail(-2, 5), studentTail(2, 5)],
    ['F = 0', fTail(0, 2, 5), 1],
    ['F = ∞', fTail(infinity, 2, 5), 0],
    ['ln at F = ∞', fTailLog(infinity, 2, 5), minus],
    ['F is not a number', fTail(nan, 2, 5), nan],
    ['F over infinite df is χ²/df', fTail(1.5, 4, infinity), chiSquareTail(6, 4)],
    ['χ² = ∞', chiSquareTail(infinity, 3), 0],
    ['z = 0', normalTail(0), 1],
    ['z = ∞', normalTailLog(infinity), minus],
    ['z is not a number', normalTail(nan), nan],
    ['the median', studentQuantile(0.5, 3), 0],
    ['the ends', studentQuantile(0, 3), minus],
    ['the other end', normalQuantile(1), infinity],
    ['a saturated fit has no interval', studentQuantile(0.975, 0), nan],
    ['Γ(1) = 1', logGamma(1), 0],
  ])('%s', (_, actual, expected) => {
    expect(actual).toBe(expected);
  });

  it('a probability outside [0, 1] is the caller’s mistake', () => {
    expect(() => normalQuantile(1.5)).toThrow('probability must be in [0, 1]: 1.5');
  });
});
