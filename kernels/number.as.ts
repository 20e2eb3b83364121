// Decimal literals to the nearest float64, as Number() rounds them: digits eight at a time, Clinger's exact
// case, Eisel–Lemire (Lemire 2021, "Number Parsing at a Gigabyte per Second"); what remains goes to JavaScript.

@external("env", "longDecimal")
declare function longDecimal(from: usize, length: i32): f64;

const SMALLEST_POWER: i32 = -342;
// 128-bit powers 5^q, q = −342 … 308, high word first (src/numeric/decimal.ts).
let powersOfFive: usize = 0;
export const POWERS_OF_TEN: usize = memory.data<f64>([
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
  1e19, 1e20, 1e21, 1e22,
]);

/** Sets the table of powers of five; required before any number is read. */
export function usePowersOfFive(table: usize): void {
  powersOfFive = table;
}

export const WHOLE_POWERS_OF_TEN: usize = memory.data<u64>([1, 10, 100, 1000, 10000, 100000, 1000000, 10000000]);

// Bit 7 of every byte that is not a digit, after subtracting '0'; correct up to the first such byte.
@inline
export function otherThanDigits(fromZero: u64): u64 {
  return (fromZero | (fromZero + 0x7676767676767676)) & 0x8080808080808080;
}

// The number of eight bytes 0 … 9, first byte lowest in memory.
@inline
export function digitsValue(eight: u64): u64 {
  const v = eight * 10 + (eight >> 8);
  const low = (v & 0x000000ff000000ff) * 0x000f424000000064;
  const high = ((v >> 16) & 0x000000ff000000ff) * 0x0000271000000001;
  return (low + high) >> 32;
}

// Loaded, because a constant in the code would be made anew at every use.
const SIXTEEN: usize = memory.data<u64>([
  0x3030303030303030, 0x3030303030303030, 0x7676767676767676, 0x7676767676767676, 0x0a010a010a010a01, 0x0a010a010a010a01,
  0x0001006400010064, 0x0001006400010064, 0x0001271000012710, 0x0001271000012710,
]);

// Sixteen bytes less '0'.
@inline
export function fromZero(bytes: v128): v128 {
  return v128.xor(bytes, v128.load(SIXTEEN, 0));
}

@inline
export function areDigits(sixteen: v128): bool {
  return i8x16.bitmask(i8x16.add_sat_u(sixteen, v128.load(SIXTEEN, 16))) == 0;
}

// The number of sixteen bytes 0 … 9: pairs, fours and eights of digits, all at once.
@inline
export function sixteenDigits(sixteen: v128): u64 {
  const pairs = i16x8.shr_u(i16x8.mul(sixteen, v128.load(SIXTEEN, 32)), 8);
  const fours = i32x4.dot_i16x8_s(pairs, v128.load(SIXTEEN, 48));
  const joined = i16x8.narrow_i32x4_s(fours, fours);
  const eights = i64x2.extract_lane(i32x4.dot_i16x8_s(joined, v128.load(SIXTEEN, 64)), 0);
  return (<u64>eights & 0xffffffff) * 100000000 + (<u64>eights >> 32);
}

// The high half of a 128-bit product; the low half is a * b.
function multiplyHigh(a: u64, b: u64): u64 {
  const a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const p01 = a0 * b1, p10 = a1 * b0;
  const middle = ((a0 * b0) >> 32) + (p01 & 0xffffffff) + (p10 & 0xffffffff);
  return a1 * b1 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
}

// The same without the carry of the lower parts: too small by at most 2.
@inline
function multiplyRoughly(a: u64, b: u64): u64 {
  const a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  return a1 * b1 + ((a0 * b1) >> 32) + ((a1 * b0) >> 32);
}

// The high half of w · 5^q to the last bit; a result that is exactly halfway is moved, so that it rounds to even.
function exactHigh(w: u64, power: usize, q: i32): u64 {
  const factor = load<u64>(power);
  let high = multiplyHigh(w, factor);
  let low = w * factor;
  if ((high & 0x1ff) == 0x1ff) {
    const carry = multiplyHigh(w, load<u64>(power, 8));
    low += carry;
    if (carry > low) high++;
  }
  const shift = (high >> 63) + 9;
  const mantissa = high >> shift;
  // Exactly halfway is possible only for these q.
  const isTie = low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << shift == high;
  return isTie ? high ^ (<u64>1 << shift) : high;
}

// w · 10^q correctly rounded, w ≠ 0 exact, −300 ≤ q ≤ 288: since 1 ≤ w < 2⁶⁴, it is neither subnormal nor infinite.
@inline
export function eiselLemire(digits: u64, q: i32): f64 {
  const zeros = <i32>clz<u64>(digits);
  const w = digits << zeros;
  const power = powersOfFive + <usize>((q - SMALLEST_POWER) << 4);
  // Too small by at most 3 with the words of 5^q that are left out; nine bits or ten are behind the rounded one.
  let high = multiplyRoughly(w, load<u64>(power));
  if ((high & 0x1ff) > 0x1fc || q >= -4) high = exactHigh(w, power, q);
  const upper = <i32>(high >> 63);
  const exponent = ((217706 * q) >> 16) + 63 + upper - zeros + 1023;
  let mantissa = high >> (upper + 9);
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  // The leading bit adds 1 to the exponent; so does the carry of a mantissa that was rounded up to 2⁵³.
  return reinterpret<f64>((<u64>(exponent - 1) << 52) + mantissa);
}

// Digits from the first that is not zero; stops at the exponent.
function significantDigits(from: usize, to: usize): i32 {
  let count = 0;
  for (let p = from; p < to; p++) {
    const d: u32 = <u32>load<u8>(p) - 48;
    if (d + 48 == 69 || d + 48 == 101) break;
    if (d < 10 && (count > 0 || d != 0)) count++;
  }
  return count;
}

/**
 * Reads the longest decimal literal at `from` (`mark` separates its fraction), stores its value at `out` and returns
 * where it ends; `from` itself where there is none. Some byte after the text must be neither digit, mark nor letter.
 */
export function scanNumber(from: usize, mark: u32, out: usize): usize {
  let p = from;
  let c: u32 = load<u8>(p);
  const negative = c == 45;
  // Without a branch, because signs are unpredictable.
  p += usize(negative) | usize(c == 43);
  c = load<u8>(p);
  const first = p;
  let w: u64 = 0;
  while (c - 48 < 10) {
    w = w * 10 + <u64>(c - 48);
    c = load<u8>(++p);
  }
  let digits = <i32>(p - first);
  let exponent: i32 = 0;
  if (c == mark) {
    const fraction = ++p;
    let eight = load<u64>(p) ^ 0x3030303030303030;
    let others = otherThanDigits(eight);
    while (others == 0) {
      w = w * 100000000 + digitsValue(eight);
      p += 8;
      eight = load<u64>(p) ^ 0x3030303030303030;
      others = otherThanDigits(eight);
    }
    // The last 0 … 7 digits, without a branch, because their number is unpredictable.
    const rest = <usize>(ctz<u64>(others) >> 3);
    const aligned = (eight << 8) << (56 - (<u64>rest << 3));
    w = w * load<u64>(WHOLE_POWERS_OF_TEN + (rest << 3)) + digitsValue(aligned);
    p += rest;
    c = load<u8>(p);
    exponent = -<i32>(p - fraction);
    digits -= exponent;
  }
  if (digits == 0) return from;
  if ((c | 32) == 101) {
    let e = p + 1;
    c = load<u8>(e);
    const down = c == 45;
    if (down || c == 43) c = load<u8>(++e);
    if (c - 48 < 10) {
      let power: i32 = 0;
      while (c - 48 < 10) {
        if (power < 100000000) power = power * 10 + <i32>(c - 48);
        c = load<u8>(++e);
      }
      exponent += down ? -power : power;
      p = e;
    }
  }
  if (digits > 19 && significantDigits(first, p) > 19) {
    store<f64>(out, longDecimal(from, <i32>(p - from)));
    return p;
  }
  let value: f64;
  // Clinger's case goes up to 2⁵³; this is less, so that numbers of 16 and of 17 digits take the same branch.
  if (w < 1000000000000000 && exponent >= -22 && exponent <= 22) {
    value = <f64><i64>w;
    if (exponent < 0) value /= load<f64>(POWERS_OF_TEN - <usize>(exponent << 3));
    else value *= load<f64>(POWERS_OF_TEN + <usize>(exponent << 3));
  } else if (w == 0) {
    value = 0;
  } else if (<u32>(exponent + 300) > 588) {
    store<f64>(out, longDecimal(from, <i32>(p - from)));
    return p;
  } else {
    value = eiselLemire(w, exponent);
  }
  store<u64>(out, reinterpret<u64>(value) | (<u64>negative << 63));
  return p;
}
