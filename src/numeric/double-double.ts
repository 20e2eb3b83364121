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

/** a · b with its rounding error. */
export function twoProduct(a: number, b: number): DoubleDouble {
  if (Math.abs(a) > SPLIT_LIMIT || Math.abs(b) > SPLIT_LIMIT) return { hi: a * b, lo: 0 };
  const hi = a * b;
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
  if (a.hi <= 0) return dd(a.hi === 0 ? 0 : Number.NaN);
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

/** eᵃ; the same digits on every engine, which Math.exp does not promise. */
export function ddExp(a: DoubleDouble): DoubleDouble {
  if (a.hi > 709.79) return dd(Number.POSITIVE_INFINITY);
  if (a.hi < -745.2) return dd(0);
  const k = Math.round(a.hi / LN2.hi);
  // e^a = 2^k · (e^(r/512))^512 with |r| ≤ ln2/2.
  const r = ddScale(ddSubtract(a, ddMultiply(LN2, dd(k))), 1 / 512);
  let term = r;
  let sum = r;
  for (let i = 2; i <= 9; i++) {
    term = ddDivide(ddMultiply(term, r), dd(i));
    sum = ddAdd(sum, term);
  }
  // Squaring e−1 rather than e keeps the small digits: (1+s)² − 1 = 2s + s².
  for (let i = 0; i < 9; i++) sum = ddAdd(ddScale(sum, 2), ddMultiply(sum, sum));
  const result = ddAdd(sum, dd(1));
  const half = 2 ** Math.trunc(k / 2);
  return ddScale(ddScale(result, half), 2 ** (k - Math.trunc(k / 2)));
}

/** ln a by Newton's method on eˣ = a, from the engine's own logarithm. */
export function ddLog(a: DoubleDouble): DoubleDouble {
  if (!(a.hi > 0)) return dd(a.hi === 0 ? Number.NEGATIVE_INFINITY : Number.NaN);
  if (a.hi === Number.POSITIVE_INFINITY) return dd(a.hi);
  let x = dd(Math.log(a.hi));
  for (let i = 0; i < 2; i++) {
    x = ddSubtract(ddAdd(x, ddMultiply(a, ddExp(ddNegate(x)))), dd(1));
  }
  return x;
}
