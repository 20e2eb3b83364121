// The cells of most files: bare numbers without an exponent, one after the other. What is not such a number is left to
// csv.as.ts. A loop of few instructions: the processor then works on two cells at the same time.
import { FIELD_BYTES, KIND, MARK, NUMBER, OUT, SAFE_HIGH, SAFE_LOW } from './csv-field.as';
import {
  POWERS_OF_TEN, WHOLE_POWERS_OF_TEN, areDigits, digitsValue, eiselLemire, fromZero, otherThanDigits, sixteenDigits,
} from './number.as';

const CR: u32 = 13, LF: u32 = 10;

let following: usize = 0;

/** The field after the last that plainCells has read. */
export function fieldAfter(): usize {
  return following;
}

/**
 * Reads plain cells of a record from s on, the first of them for `field`, and stores their values `offset` bytes into
 * the columns. Returns where the first other cell starts, or the next record. The bytes must end with a zero.
 */
export function plainCells(s: usize, field: usize, offset: usize, delimiter: u32, newline: u32): usize {
  while (load<i32>(field, KIND) == NUMBER) {
    let p = s;
    let c: u32 = load<u8>(p);
    const negative = c == 45;
    // Without a branch, because signs are unpredictable.
    p += usize(negative);
    c = load<u8>(p);
    const first = p;
    let w: u64 = 0;
    while (c - 48 < 10) {
      w = w * 10 + <u64>(c - 48);
      c = load<u8>(++p);
    }
    const whole = w;
    let digits = <i32>(p - first);
    let decimals: i32 = 0;
    if (c == load<u32>(field, MARK)) {
      const fraction = ++p;
      const sixteen = fromZero(v128.load(p));
      if (areDigits(sixteen)) {
        w = w * 10000000000000000 + sixteenDigits(sixteen);
        p += 16;
      }
      let eight = load<u64>(p) ^ 0x3030303030303030;
      let others = otherThanDigits(eight);
      if (others == 0) {
        w = w * 100000000 + digitsValue(eight);
        p += 8;
        eight = load<u64>(p) ^ 0x3030303030303030;
        others = otherThanDigits(eight);
        if (others == 0) break;
      }
      // The last 0 … 7 digits, without a branch, because their number is unpredictable.
      const rest = <usize>(ctz<u64>(others) >> 3);
      const aligned = (eight << 8) << (56 - (<u64>rest << 3));
      w = w * load<u64>(WHOLE_POWERS_OF_TEN + (rest << 3)) + digitsValue(aligned);
      p += rest;
      c = load<u8>(p);
      decimals = <i32>(p - fraction);
      digits += decimals;
    }
    // 64 bits have room for 19 digits; zeros before the mark take none.
    if (<u32>(digits - 1) > 18) {
      if (digits == 0 || decimals > 19 || digits - decimals > 19 || whole != 0) break;
    }
    let value: f64;
    // Clinger's case goes up to 2⁵³; this is less, so that numbers of 16 and of 17 digits take the same branch.
    if (w < 1000000000000000) value = <f64><i64>w / load<f64>(POWERS_OF_TEN + (<usize>decimals << 3));
    else value = eiselLemire(w, -decimals);
    value = reinterpret<f64>(reinterpret<u64>(value) | (<u64>negative << 63));
    if (!(value >= load<f64>(field, SAFE_LOW) && value <= load<f64>(field, SAFE_HIGH))) break;
    // If the cell goes on, this is not its value, and the other way to read it stores another one.
    store<f64>(load<usize>(field, OUT) + offset, value);
    if (c != delimiter) {
      if (c == CR && newline == LF) c = load<u8>(++p);
      if (c != newline) break;
      s = p + 1;
      field += FIELD_BYTES;
      break;
    }
    s = p + 1;
    field += FIELD_BYTES;
  }
  following = field;
  return s;
}
