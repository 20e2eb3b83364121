import { continuedFraction } from './continued-fraction.ts';
import {
  type DoubleDouble,
  dd,
  ddAdd,
  ddDivide,
  ddExp,
  ddLog,
  ddLog1p,
  ddMultiply,
  ddNegate,
  ddSubtract,
  twoSum,
} from './double-double.ts';
import { logBetaDouble } from './gamma.ts';

/**
 * ln Iₓ(a, b). Takes both x and y = 1 − x, because computing one from the other would lose digits.
 * Iₓ(a, b) = 1 − I_y(b, a).
 */
export function logIncompleteBeta(x: number, y: number, a: number, b: number): number {
  if (!(x >= 0 && y >= 0 && a > 0 && b > 0)) return Number.NaN;
  if (x === 0) return Number.NEGATIVE_INFINITY;
  if (y === 0) return 0;
  return logIncompleteBetaAtOdds(ddSubtract(ddLog(dd(x)), ddLog(dd(y))), a, b).hi;
}

/** x and y = 1 − x and their logarithms, from ln(x/y), which determines both without loss. */
interface Split {
  readonly x: DoubleDouble;
  readonly y: DoubleDouble;
  readonly logX: DoubleDouble;
  readonly logY: DoubleDouble;
}

function split(logOdds: DoubleDouble): Split {
  if (logOdds.hi > 0) {
    const { x, y, logX, logY } = split(ddNegate(logOdds));
    return { x: y, y: x, logX: logY, logY: logX };
  }
  const odds = ddExp(logOdds);
  const y = ddDivide(dd(1), ddAdd(dd(1), odds));
  const logY = ddNegate(ddLog1p(odds));
  return { x: ddMultiply(odds, y), y, logX: ddAdd(logOdds, logY), logY };
}

/** ln Iₓ(a, b) where ln(x/(1−x)) = logOdds; the complement is logOdds → −logOdds, a ↔ b. */
export function logIncompleteBetaAtOdds(logOdds: DoubleDouble, a: number, b: number): DoubleDouble {
  const s = split(logOdds);
  const distance = aboveMean(s, a, b);
  if (distance.hi >= 0) return ddAdd(logBetaPower(s, a, b), ddLog(dd(fraction(s, distance, a, b))));
  const other: Split = { x: s.y, y: s.x, logX: s.logY, logY: s.logX };
  const rest = ddAdd(
    logBetaPower(other, b, a),
    ddLog(dd(fraction(other, ddNegate(distance), b, a))),
  );
  return ddLog1p(ddNegate(ddExp(rest)));
}

/**
 * The log-odds where ln Iₓ(a, b) = logProbability, by Newton's method: ln I is concave in the
 * log-odds, so all steps after the first come from the same side and none overshoots.
 */
export function incompleteBetaQuantile(
  logProbability: DoubleDouble,
  a: number,
  b: number,
  start: number,
): DoubleDouble {
  let logOdds = dd(start);
  for (let step = 0; step < 100; step++) {
    const value = logIncompleteBetaAtOdds(logOdds, a, b);
    const slope = Math.exp(ddSubtract(logBetaPower(split(logOdds), a, b), value).hi);
    const move = ddSubtract(logProbability, value).hi / slope;
    logOdds = ddAdd(logOdds, dd(move));
    if (!(Math.abs(move) > 1e-14)) break;
  }
  return logOdds;
}

/** ln(xᵃ yᵇ / B(a, b)) = ln(dI / d logOdds). */
function logBetaPower({ logX, logY }: Split, a: number, b: number): DoubleDouble {
  const power = ddAdd(ddMultiply(dd(a), logX), ddMultiply(dd(b), logY));
  return ddSubtract(power, logBetaDouble(a, b));
}

/** a − (a + b)x, from whichever of x and y is small. */
function aboveMean({ x, y }: Split, a: number, b: number): DoubleDouble {
  const sum = twoSum(a, b);
  return x.hi < y.hi
    ? ddSubtract(dd(a), ddMultiply(sum, x))
    : ddSubtract(ddMultiply(sum, y), dd(b));
}

/**
 * Iₓ(a, b) B(a, b) / (xᵃ yᵇ) for x at or below the mean a/(a+b), by the continued fraction of
 * DiDonato & Morris 1992, eq. 9, evaluated after Lentz; it takes about √max(a, b) steps at the mean.
 */
function fraction({ x, y }: Split, distance: DoubleDouble, a: number, b: number): number {
  const lambda = distance.hi;
  const alpha = (n: number) => {
    const s = a + 2 * n - 1;
    return (((a + n - 1) * (a + b + n - 1)) / (s * s)) * n * (b - n) * x.hi * x.hi;
  };
  const beta = (n: number) => {
    const s = a + 2 * n - 1;
    return n + (n * (b - n) * x.hi) / s + ((a + n) / (s + 2)) * (lambda + 1 + n * (1 + y.hi));
  };
  return 1 / continuedFraction((a * (1 + lambda)) / (a + 1), alpha, beta);
}
