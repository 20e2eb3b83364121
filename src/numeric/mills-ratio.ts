import {
  type DoubleDouble,
  dd,
  ddAdd,
  ddDivide,
  ddExp,
  ddMultiply,
  ddScale,
  ddSqrt,
  ddSubtract,
} from './double-double.ts';

export const TWO_PI: DoubleDouble = dd(6.283185307179586, 2.4492935982947064e-16);

/** From here on the continued fraction takes fewer steps than the series. */
const far = 4;

/**
 * Mills' ratio P(Z > x) / φ(x) of the standard normal for x ≥ 0, to 25 digits or more: differences of two that are
 * close keep their digits.
 */
export function millsRatio(x: DoubleDouble): DoubleDouble {
  return x.hi < far ? bySeries(x) : byFraction(x);
}

/** √(π/2) e^(x²/2) − Σ x^(2k+1) / (2k+1)!! (DLMF 7.6.2). */
function bySeries(x: DoubleDouble): DoubleDouble {
  const square = ddMultiply(x, x);
  let term = x;
  let sum = x;
  for (let k = 3; Math.abs(term.hi) > 2 ** -120 * sum.hi; k += 2) {
    term = ddDivide(ddMultiply(term, square), dd(k));
    sum = ddAdd(sum, term);
  }
  const whole = ddMultiply(ddScale(ddSqrt(TWO_PI), 0.5), ddExp(ddScale(square, 0.5)));
  return ddSubtract(whole, sum);
}

/** 1 / (x + 1 / (x + 2 / (x + 3 / …))) (DLMF 7.9.3). */
function byFraction(x: DoubleDouble): DoubleDouble {
  const steps = Math.ceil(20 + 1400 / x.hi ** 2); // for 31 digits
  let below = x;
  for (let n = steps; n >= 1; n--) below = ddAdd(x, ddDivide(dd(n), below));
  return ddDivide(dd(1), below);
}
