import {
  type DoubleDouble,
  dd,
  ddAdd,
  ddExp,
  ddLog,
  ddScale,
  ddSubtract,
  twoProduct,
} from './double-double.ts';
import { incompleteBetaQuantile, logIncompleteBetaAtOdds } from './incomplete-beta.ts';
import { logGammaPower, logIncompleteGamma } from './incomplete-gamma.ts';

const NOT_A_NUMBER = dd(Number.NaN);
const CERTAIN = dd(0);
const IMPOSSIBLE = dd(Number.NEGATIVE_INFINITY);

/** P(|T| > |t|) for Student's t with `df` degrees of freedom: the two-sided p-value. */
export function studentTail(t: number, df: number): number {
  return ddExp(studentLog(t, df)).hi;
}

/** ln P(|T| > |t|), for p-values a double cannot hold. */
export function studentTailLog(t: number, df: number): number {
  return studentLog(t, df).hi;
}

/** P(F > f) for Fisher's F with `df1` over `df2` degrees of freedom. */
export function fTail(f: number, df1: number, df2: number): number {
  return ddExp(fLog(f, df1, df2)).hi;
}

/** ln P(F > f). */
export function fTailLog(f: number, df1: number, df2: number): number {
  return fLog(f, df1, df2).hi;
}

/** P(X > x) for chi-square with `df` degrees of freedom. */
export function chiSquareTail(x: number, df: number): number {
  return ddExp(chiSquareLog(dd(x), df)).hi;
}

/** ln P(X > x) for chi-square. */
export function chiSquareTailLog(x: number, df: number): number {
  return chiSquareLog(dd(x), df).hi;
}

/** P(|Z| > |z|) for the standard normal: two-sided, as studentTail, its limit for large df. */
export function normalTail(z: number): number {
  return ddExp(normalLog(z)).hi;
}

/** ln P(|Z| > |z|). */
export function normalTailLog(z: number): number {
  return normalLog(z).hi;
}

/** P(Z > z), one-sided: 1 − Φ(z). */
export function normalUpperTail(z: number): number {
  const half = 0.5 * normalTail(z);
  return z < 0 ? 1 - half : half;
}

/** ln P(Z > z). */
export function normalUpperTailLog(z: number): number {
  return z < 0 ? Math.log1p(-0.5 * normalTail(z)) : ddSubtract(normalLog(z), ddLog(dd(2))).hi;
}

/** The t with P(T ≤ t) = p. */
export function studentQuantile(p: number, df: number): number {
  if (df === Number.POSITIVE_INFINITY) return normalQuantile(p);
  if (!(df > 0)) return Number.NaN;
  return symmetricQuantile(p, (target, side) => {
    const logDf = ddLog(dd(df));
    const start = logDf.hi - 2 * Math.log(normalGuess(target.hi, side));
    // The log-odds ln(df/t²) of the tail, or ln(t²/df) of the centre.
    const logOdds =
      side === 'tail'
        ? incompleteBetaQuantile(target, df / 2, 0.5, start)
        : ddScale(incompleteBetaQuantile(target, 0.5, df / 2, -start), -1);
    return ddExp(ddScale(ddSubtract(logDf, logOdds), 0.5)).hi;
  });
}

/** The z with P(Z ≤ z) = p. */
export function normalQuantile(p: number): number {
  return symmetricQuantile(p, (target, side) => {
    // Newton's method for ln(z²/2), in which both logarithms are concave.
    let logHalfSquare = dd(2 * Math.log(normalGuess(target.hi, side)) - Math.LN2);
    for (let step = 0; step < 100; step++) {
      const halfSquare = ddExp(logHalfSquare);
      const { logAbove, logBelow } = logIncompleteGamma(0.5, halfSquare);
      const value = side === 'tail' ? logAbove : logBelow;
      const slope = Math.exp(ddSubtract(logGammaPower(0.5, halfSquare), value).hi);
      const move = ddSubtract(target, value).hi / (side === 'tail' ? -slope : slope);
      logHalfSquare = ddAdd(logHalfSquare, dd(move));
      if (!(Math.abs(move) > 1e-14)) break;
    }
    return ddExp(ddScale(ddAdd(logHalfSquare, ddLog(dd(2))), 0.5)).hi;
  });
}

type Side = 'tail' | 'centre';

/**
 * A quantile of a distribution symmetric about 0. `magnitude` gives |t| for a target ln P(|T| > |t|) or, near
 * the middle, ln P(|T| < |t|): whichever keeps the digits of p.
 */
function symmetricQuantile(
  p: number,
  magnitude: (target: DoubleDouble, side: Side) => number,
): number {
  if (Number.isNaN(p)) return p;
  if (!(p >= 0 && p <= 1)) throw new RangeError(`probability must be in [0, 1]: ${p}`);
  if (p === 0.5) return 0;
  if (p === 0 || p === 1) return p === 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const twoSided = 2 * Math.min(p, 1 - p);
  const size =
    twoSided <= 0.5
      ? magnitude(ddLog(dd(twoSided)), 'tail')
      : magnitude(ddLog(dd(1 - twoSided)), 'centre');
  return p < 0.5 ? -size : size;
}

/** |z| to about one digit: a start for Newton's method. */
function normalGuess(target: number, side: Side): number {
  return side === 'tail' ? Math.sqrt(-2 * target) : Math.exp(target) * 1.3;
}

function studentLog(t: number, df: number): DoubleDouble {
  if (df === Number.POSITIVE_INFINITY) return normalLog(t);
  if (Number.isNaN(t) || !(df > 0)) return NOT_A_NUMBER;
  if (t === 0) return CERTAIN;
  if (Math.abs(t) === Number.POSITIVE_INFINITY) return IMPOSSIBLE;
  const logOdds = ddSubtract(ddLog(dd(df)), ddScale(ddLog(dd(Math.abs(t))), 2));
  return logIncompleteBetaAtOdds(logOdds, df / 2, 0.5);
}

function fLog(f: number, df1: number, df2: number): DoubleDouble {
  if (df2 === Number.POSITIVE_INFINITY) return chiSquareLog(twoProduct(df1, f), df1);
  if (Number.isNaN(f) || !(df1 > 0 && df2 > 0 && df1 < Number.POSITIVE_INFINITY)) {
    return NOT_A_NUMBER;
  }
  if (f <= 0) return CERTAIN;
  if (f === Number.POSITIVE_INFINITY) return IMPOSSIBLE;
  const logOdds = ddSubtract(ddSubtract(ddLog(dd(df2)), ddLog(dd(df1))), ddLog(dd(f)));
  return logIncompleteBetaAtOdds(logOdds, df2 / 2, df1 / 2);
}

function chiSquareLog(x: DoubleDouble, df: number): DoubleDouble {
  if (Number.isNaN(x.hi) || !(df > 0 && df < Number.POSITIVE_INFINITY)) return NOT_A_NUMBER;
  if (x.hi <= 0) return CERTAIN;
  if (x.hi === Number.POSITIVE_INFINITY) return IMPOSSIBLE;
  const half = ddScale(x, 0.5);
  return half.hi === 0 ? CERTAIN : logIncompleteGamma(df / 2, half).logAbove;
}

function normalLog(z: number): DoubleDouble {
  // z² would underflow; the next term of the series is z² times smaller.
  if (Math.abs(z) < 1e-100) return dd(-Math.abs(z) * Math.sqrt(2 / Math.PI));
  return chiSquareLog(twoProduct(z, z), 1);
}
