// What a scan without a codebook keeps of the numbers of one column. Counts and extremes as f64; mirrored in
// src/table/draft-scan.ts.
//
// The extremes are exact, but most numbers need not be. Let a number v be at least b, and let r be b up to rounding:
// |r − b| ≤ 2⁻⁵¹|b|. If r > m + 2⁻⁵⁰|m|, then v is not below m: b ≤ v < m would give r ≤ b + 2⁻⁵¹|b| < m + 2⁻⁵¹|m|, because
// b + 2⁻⁵¹|b| grows with b. The other half of 2⁻⁵⁰|m| is more than the rounding of the limit itself. So a number between both
// limits is no new extreme, and the limits also exclude the missing markers.
import { digitsValue, otherThanDigits } from './number.as';

const NUMBERS: usize = 0, MIN: usize = 8, MAX: usize = 16, OTHER_DECIMALS: usize = 24, LEADING_ZEROS: usize = 32;
const UNLISTED: usize = 40;
const INNER_LOW: usize = 48, INNER_HIGH: usize = 56; // the limits
const SLACK: f64 = 1.0 / 1125899906842624.0; // 2⁻⁵⁰
const MOST_WHOLE_DIGITS: usize = 7; // with eight more they fit a float64

/**
 * Notes a number at s that has eight decimals or more and is surely between the limits, by its first eight decimals alone;
 * returns where it ends, or s if it is another cell. It has no exponent: a delimiter or newline follows.
 */
@inline
export function innerNumber(survey: usize, s: usize, mark: u32, delimiter: u32, newline: u32): usize {
  let p = s;
  let c: u32 = load<u8>(p);
  const negative = c == 45;
  p += usize(negative) | usize(c == 43);
  const first = p;
  c = load<u8>(p);
  let w: u64 = 0;
  while (c - 48 < 10) {
    w = w * 10 + <u64>(c - 48);
    c = load<u8>(++p);
  }
  const whole = p - first;
  if (c != mark || whole > MOST_WHOLE_DIGITS) return s;
  let eight = load<u64>(++p) ^ 0x3030303030303030;
  let others = otherThanDigits(eight);
  if (others != 0) return s;
  // In units of 10⁻⁸ the size of the number is from `size` to size + 1.
  const size = <f64><i64>(w * 100000000 + digitsValue(eight));
  const low = (negative ? -1 - size : size) * 1e-8, high = (negative ? -size : size + 1) * 1e-8;
  if (!(low > load<f64>(survey, INNER_LOW) && high < load<f64>(survey, INNER_HIGH))) return s;
  do {
    p += 8;
    eight = load<u64>(p) ^ 0x3030303030303030;
    others = otherThanDigits(eight);
  } while (others == 0);
  p += <usize>(ctz<u64>(others) >> 3);
  c = load<u8>(p);
  if (c != delimiter && c != newline) return s;
  store<f64>(survey, load<f64>(survey, NUMBERS) + 1, NUMBERS);
  noteZeros(survey, first);
  return p;
}

/** Notes a number whose text is at `from`; `low` and `high` are the ends of an interval without missing markers. */
export function noteNumber(survey: usize, from: usize, value: f64, low: f64, high: f64): void {
  store<f64>(survey, load<f64>(survey, NUMBERS) + 1, NUMBERS);
  const least = min(load<f64>(survey, MIN), value), most = max(load<f64>(survey, MAX), value);
  store<f64>(survey, least, MIN);
  store<f64>(survey, most, MAX);
  const bottom = max(least, low), top = min(most, high);
  store<f64>(survey, bottom + abs(bottom) * SLACK, INNER_LOW);
  store<f64>(survey, top - abs(top) * SLACK, INNER_HIGH);
  const c: u32 = load<u8>(from);
  noteZeros(survey, from + (usize(c == 45) | usize(c == 43)));
}

// One branch that is nearly never taken, instead of two of which the first is unpredictable.
@inline
function noteZeros(survey: usize, first: usize): void {
  if ((i32(load<u8>(first) == 48) & i32(<u32>load<u8>(first, 1) - 48 < 10)) != 0) {
    store<f64>(survey, load<f64>(survey, LEADING_ZEROS) + 1, LEADING_ZEROS);
  }
}

export function noteOtherDecimal(survey: usize): void {
  store<f64>(survey, load<f64>(survey, OTHER_DECIMALS) + 1, OTHER_DECIMALS);
}

export function noteUnlisted(survey: usize): void {
  store<f64>(survey, load<f64>(survey, UNLISTED) + 1, UNLISTED);
}
