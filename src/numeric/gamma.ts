import {
  type DoubleDouble,
  dd,
  ddAdd,
  ddDivide,
  ddLog,
  ddLog1p,
  ddMultiply,
  ddNegate,
  ddSubtract,
  twoSum,
} from './double-double.ts';

const HALF_LN_TWO_PI: DoubleDouble = dd(0.9189385332046728, -3.878294158067242e-17);

/** From this x on, ten terms of Stirling's series are accurate to 1e-25. */
const STIRLING_FROM = 20;

// B₂ₖ / (2k(2k−1)) for k = 2 … 10 (DLMF 5.11.1); the first, 1/12, is applied in double-double.
const STIRLING = [
  -1 / 360,
  1 / 1260,
  -1 / 1680,
  1 / 1188,
  -691 / 360360,
  1 / 156,
  -3617 / 122400,
  43867 / 244188,
  -174611 / 125400,
];

/** ln Γ(x) for x > 0. */
export function logGamma(x: number): number {
  if (!(x > 0)) return x === 0 ? Number.POSITIVE_INFINITY : Number.NaN;
  if (x === Number.POSITIVE_INFINITY) return x;
  if (x === 1 || x === 2) return 0;
  return logGammaDouble(dd(x)).hi;
}

/** ln B(a, b) for a, b > 0, without cancellation even if they differ greatly. */
export function logBeta(a: number, b: number): number {
  if (!(a > 0 && b > 0)) return Number.NaN;
  if (a === Number.POSITIVE_INFINITY || b === Number.POSITIVE_INFINITY) {
    return Number.NEGATIVE_INFINITY;
  }
  return logBetaDouble(a, b).hi;
}

/** ln Γ(x) in double-double, to about 1e-25 or 1e-30 of itself. */
export function logGammaDouble(x: DoubleDouble): DoubleDouble {
  let product = dd(1);
  let shifted = x;
  while (shifted.hi < STIRLING_FROM) {
    product = ddMultiply(product, shifted);
    shifted = ddAdd(shifted, dd(1));
  }
  const power = ddMultiply(ddSubtract(shifted, dd(0.5)), ddLog(shifted));
  const rest = ddAdd(ddSubtract(HALF_LN_TWO_PI, shifted), stirlingCorrection(shifted));
  return ddSubtract(ddAdd(power, rest), ddLog(product));
}

/** ln B(a, b) in double-double. */
export function logBetaDouble(a: number, b: number): DoubleDouble {
  const p = dd(Math.min(a, b));
  const q = dd(Math.max(a, b));
  const sum = twoSum(p.hi, q.hi);
  if (q.hi < STIRLING_FROM) {
    return ddSubtract(ddAdd(logGammaDouble(p), logGammaDouble(q)), logGammaDouble(sum));
  }
  // ln Γ(p+q) − ln Γ(q) = p ln(p+q) + (q − ½) ln(1 + p/q) − p + δ(p+q) − δ(q): no large terms to cancel.
  const growth = ddAdd(
    ddMultiply(p, ddLog(sum)),
    ddMultiply(ddSubtract(q, dd(0.5)), ddLog1p(ddDivide(p, q))),
  );
  const correction = ddSubtract(stirlingCorrection(sum), stirlingCorrection(q));
  const ratio = ddAdd(ddAdd(growth, ddNegate(p)), correction);
  return ddSubtract(logGammaDouble(p), ratio);
}

/** δ(x) = ln Γ(x) − (x − ½) ln x + x − ½ ln 2π for x ≥ 20. */
function stirlingCorrection(x: DoubleDouble): DoubleDouble {
  const inverse = 1 / x.hi;
  const square = inverse * inverse;
  let tail = 0;
  for (let k = STIRLING.length - 1; k >= 0; k--) tail = STIRLING[k]! + tail * square;
  return ddAdd(ddDivide(dd(1), ddMultiply(dd(12), x)), dd(tail * square * inverse));
}
