// Decimal literals to the nearest float64, as Number() rounds them: digits eight at a time, Clinger's exact
// case, Eisel–Lemire (Lemire 2021, "Number Parsing at a Gigabyte per Second"); what remains goes to JavaScript.

@external("env", "longDecimal")
declare function longDecimal(from: usize, length: i32): f64;

const SMALLEST_POWER: i32 = -342;
// 128-bit powers 5^q, q = −342 … 308, high word first (src/numeric/decimal.ts).
let powersOfFive: usize = 0;
const POWERS_OF_TEN: usize = memory.data<f64>([
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
  1e19, 1e20, 1e21, 1e22,
]);

/** Sets the table of powers of five; required before any number is read. */
export function usePowersOfFive(table: usize): void {
  powersOfFive = table;
}

const WHOLE_POWERS_OF_TEN: usize = memory.data<u64>([1, 10, 100, 1000, 10000, 100000, 1000000, 10000000]);

// Bit 7 of every byte that is not a digit, after subtracting '0'; correct up to the first such byte.
@inline
function otherThanDigits(fromZero: u64): u64 {
  return (fromZero | (fromZero + 0x7676767676767676)) & 0x8080808080808080;
}

// The number of eight bytes 0 … 9, first byte lowest in memory.
@inline
function digitsValue(eight: u64): u64 {
  const v = eight * 10 + (eight >> 8);
  const low = (v & 0x000000ff000000ff) * 0x000f424000000064;
  const high = ((v >> 16) & 0x000000ff000000ff) * 0x0000271000000001;
  return (low + high) >> 32;
}

// The high half of a 128-bit product; the low half is a * b.
@inline
function multiplyHigh(a: u64, b: u64): u64 {
  const a0 = a & 0xffffffff, a1 = a >> 32, b0 = b & 0xffffffff, b1 = b >> 32;
  const p01 = a0 * b1, p10 = a1 * b0;
  const middle = ((a0 * b0) >> 32) + (p01 & 0xffffffff) + (p10 & 0xffffffff);
  return a1 * b1 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
}

// w · 10^q correctly rounded, w ≠ 0 exact; NaN if the result may be subnormal or infinite.
@inline
function eiselLemire(digits: u64, q: i32): f64 {
  if (q < -300 || q > 290) return NaN;
  const zeros = <i32>clz<u64>(digits);
  const w = digits << zeros;
  const power = powersOfFive + <usize>((q - SMALLEST_POWER) << 4);
  const factor = load<u64>(power);
  let high = multiplyHigh(w, factor);
  let low = w * factor;
  if ((high & 0x1ff) == 0x1ff) {
    const carry = multiplyHigh(w, load<u64>(power, 8));
    low += carry;
    if (carry > low) high++;
  }
  const upper = <i32>(high >> 63);
  const shift = upper + 9;
  let mantissa = high >> shift;
  let exponent = ((217706 * q) >> 16) + 63 + upper - zeros + 1023;
  if (exponent <= 0) return NaN;
  // Exactly halfway is possible only for these q: round to even.
  if (low <= 1 && q >= -4 && q <= 23 && (mantissa & 3) == 1 && mantissa << shift == high) {
    mantissa &= ~(<u64>1);
  }
  mantissa = (mantissa + (mantissa & 1)) >> 1;
  if (mantissa >= <u64>1 << 53) {
    mantissa = <u64>1 << 52;
    exponent++;
  }
  if (exponent >= 0x7ff) return NaN;
  return reinterpret<f64>((mantissa & ~(<u64>1 << 52)) | (<u64>exponent << 52));
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
  return scanNumberInline(from, mark, out);
}

/** The same, inlined where a call would be too slow. */
@inline
export function scanNumberInline(from: usize, mark: u32, out: usize): usize {
  let p = from;
  let c: u32 = load<u8>(p);
  const negative = c == 45;
  if (negative || c == 43) c = load<u8>(++p);
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
  if (w <= 9007199254740992 && exponent >= -22 && exponent <= 22) {
    value = <f64>w;
    if (exponent < 0) value /= load<f64>(POWERS_OF_TEN - <usize>(exponent << 3));
    else value *= load<f64>(POWERS_OF_TEN + <usize>(exponent << 3));
  } else if (w == 0) {
    value = 0;
  } else {
    value = eiselLemire(w, exponent);
    if (value != value) {
      store<f64>(out, longDecimal(from, <i32>(p - from)));
      return p;
    }
  }
  store<f64>(out, negative ? -value : value);
  return p;
}
