/**
 * Unevaluated sums hi + lo with |lo| ≤ ulp(hi)/2: about 32 decimal digits.
 * Error-free transformations after Dekker 1971 and Hida, Li & Bailey 2001.
 */
export interface DoubleDouble {
  readonly hi: number;
  readonly lo: number;
}

const SPLITTER = 134217729; // 2²⁷ + 1
const SPLIT_LIMIT = 2 ** 996;
const SPLIT_SCALE = 2 ** 28;

export function dd(hi: number, lo = 0): DoubleDouble {
  return { hi, lo };
}

/** a + b with its rounding error. */
export function twoSum(a: number, b: number): DoubleDouble {
  const hi = a + b;
  const z = hi - a;
  return { hi, lo: a - (hi - z) + (b - z) };
}

function quickTwoSum(a: number, b: number): DoubleDouble {
  const hi = a + b;
  return { hi, lo: b - (hi - a) };
}

/** a · b with its rounding error, exact unless that error underflows (|a · b| < 2⁻⁹⁶⁸). */
export function twoProduct(a: number, b: number): DoubleDouble {
  const hi = a * b;
  if (!Number.isFinite(hi)) return { hi, lo: 0 };
  if (Math.abs(a) > SPLIT_LIMIT) return ddScale(twoProduct(a / SPLIT_SCALE, b), SPLIT_SCALE);
  if (Math.abs(b) > SPLIT_LIMIT) return ddScale(twoProduct(a, b / SPLIT_SCALE), SPLIT_SCALE);
  const ta = SPLITTER * a;
  const ah = ta - (ta - a);
  const al = a - ah;
  const tb = SPLITTER * b;
  const bh = tb - (tb - b);
  const bl = b - bh;
  return { hi, lo: ah * bh - hi + ah * bl + al * bh + al * bl };
}

export function ddAdd(a: DoubleDouble, b: DoubleDouble): DoubleDouble {
  const s = twoSum(a.hi, b.hi);
  const t = twoSum(a.lo, b.lo);
  const u = quickTwoSum(s.hi, s.lo + t.hi);
  return quickTwoSum(u.hi, u.lo + t.lo);
}

export function ddNegate(a: DoubleDouble): DoubleDouble {
  return { hi: -a.hi, lo: -a.lo };
}

export function ddSubtract(a: DoubleDouble, b: DoubleDouble): DoubleDouble {
  return ddAdd(a, ddNegate(b));
}

export function ddMultiply(a: DoubleDouble, b: DoubleDouble): DoubleDouble {
  const p = twoProduct(a.hi, b.hi);
  return quickTwoSum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

export function ddDivide(a: DoubleDouble, b: DoubleDouble): DoubleDouble {
  const q1 = a.hi / b.hi;
  let r = ddSubtract(a, ddMultiply(b, dd(q1)));
  const q2 = r.hi / b.hi;
  r = ddSubtract(r, ddMultiply(b, dd(q2)));
  const q3 = r.hi / b.hi;
  return ddAdd(quickTwoSum(q1, q2), dd(q3));
}

export function ddSqrt(a: DoubleDouble): DoubleDouble {
  if (!(a.hi > 0)) return dd(a.hi === 0 ? 0 : Number.NaN);
  if (a.hi === Number.POSITIVE_INFINITY) return dd(a.hi);
  const x = 1 / Math.sqrt(a.hi);
  const y = a.hi * x;
  return ddAdd(dd(y), dd(ddSubtract(a, twoProduct(y, y)).hi * (x * 0.5)));
}

/** Exact multiplication by a power of two. */
export function ddScale(a: DoubleDouble, powerOfTwo: number): DoubleDouble {
  return { hi: a.hi * powerOfTwo, lo: a.lo * powerOfTwo };
}

/** aᵏ for a whole k ≥ 0, by repeated multiplication. */
export function ddPower(a: DoubleDouble, k: number): DoubleDouble {
  let result = dd(1);
  for (let base = a, rest = k; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = ddMultiply(result, base);
    if (rest > 1) base = ddMultiply(base, base);
  }
  return result;
}

const LN2: DoubleDouble = { hi: Math.LN2, lo: 2.3190468138462996e-17 };
const LN2_REST = 5.707708438416212e-34;

/** 1/9!, 1/8!, … 1/1!: the coefficients of (eʳ − 1)/r, highest first. */
const INVERSE_FACTORIALS: readonly DoubleDouble[] = [
  362880, 40320, 5040, 720, 120, 24, 6, 2, 1,
].map((factorial) => ddDivide(dd(1), dd(factorial)));

/** eᵃ, with the same digits on every engine; Math.exp does not guarantee that. */
export function ddExp(a: DoubleDouble): DoubleDouble {
  if (a.hi > 709.79) return dd(Number.POSITIVE_INFINITY);
  if (a.hi < -745.2) return dd(0);
  const k = Math.round(a.hi / LN2.hi);
  // e^a = 2^k · (e^(r/512))^512 with |r| ≤ ln2/2; k·ln2 needs three parts to leave r all its digits.
  const high = ddSubtract(a, twoProduct(LN2.hi, k));
  const low = ddAdd(twoProduct(LN2.lo, k), dd(LN2_REST * k));
  const r = ddScale(ddSubtract(high, low), 1 / 512);
  let sum = INVERSE_FACTORIALS[0];
  for (let i = 1; i < INVERSE_FACTORIALS.length; i++) {
    sum = ddAdd(ddMultiply(sum, r), INVERSE_FACTORIALS[i]);
  }
  sum = ddMultiply(sum, r);
  // Squaring e−1 rather than e keeps the small digits: (1+s)² − 1 = 2s + s².
  for (let i = 0; i < 9; i++) sum = ddAdd(ddScale(sum, 2), ddMultiply(sum, sum));
  const result = ddAdd(sum, dd(1));
  const half = 2 ** Math.trunc(k / 2);
  return ddScale(ddScale(result, half), 2 ** (k - Math.trunc(k / 2)));
}

/** ln a by one Newton step on eˣ = a from the engine's logarithm, whose own error then no longer matters. */
export function ddLog(a: DoubleDouble): DoubleDouble {
  if (!(a.hi > 0)) return dd(a.hi === 0 ? Number.NEGATIVE_INFINITY : Number.NaN);
  if (a.hi === Number.POSITIVE_INFINITY) return dd(a.hi);
  if (Math.abs(a.hi - 1) < LOG1P_SERIES) return ddLog1p(ddSubtract(a, dd(1)));
  // ln a = k·ln2 + ln m with m near 1, so that e⁻ˣ stays far from underflow.
  const k = Math.round(Math.log2(a.hi));
  const half = 2 ** -Math.trunc(k / 2);
  const m = ddScale(ddScale(a, half), 2 ** (Math.trunc(k / 2) - k));
  const x = dd(Math.log(m.hi));
  const step = ddSubtract(ddMultiply(m, ddExp(ddNegate(x))), dd(1));
  // Halley's correction: the start is good to 2⁻⁵², and one step must reach 2⁻¹⁰⁶.
  const better = ddAdd(x, ddSubtract(step, dd(0.5 * step.hi * step.hi)));
  return ddAdd(ddMultiply(LN2, dd(k)), better);
}

const LOG1P_SERIES = 0.1;

/** ln(1 + a) to full relative accuracy for any small a: 2·artanh(a / (2 + a)). */
export function ddLog1p(a: DoubleDouble): DoubleDouble {
  if (!(Math.abs(a.hi) < LOG1P_SERIES)) return ddLog(ddAdd(dd(1), a));
  const s = ddDivide(a, ddAdd(dd(2), a));
  const square = ddMultiply(s, s);
  let power = s;
  let sum = s;
  for (let i = 3; Math.abs(power.hi) > Math.abs(s.hi) * 2 ** -108; i += 2) {
    power = ddMultiply(power, square);
    sum = ddAdd(sum, ddDivide(power, dd(i)));
  }
  return ddScale(sum, 2);
}

/** eᵃ − 1 to full relative accuracy for any small a. */
export function ddExpm1(a: DoubleDouble): DoubleDouble {
  if (!(Math.abs(a.hi) < EXPM1_SERIES)) return ddSubtract(ddExp(a), dd(1));
  let term = a;
  let sum = a;
  for (let i = 2; Math.abs(term.hi) > Math.abs(a.hi) * 2 ** -108; i++) {
    term = ddDivide(ddMultiply(term, a), dd(i));
    sum = ddAdd(sum, term);
  }
  return sum;
}

const EXPM1_SERIES = 0.1;
