const word = new DataView(new ArrayBuffer(8));

const logOf2High = 0.6931471803691238;
const logOf2Low = 1.9082149292705877e-10;

/**
 * The natural logarithm from additions, products and one quotient, so that its bits are the same on every engine; the
 * standard does not fix those of Math.log. fdlibm's e_log (Sun 1993), with an error below one unit in the last place.
 */
export function naturalLog(value: number): number {
  if (value === 0) return Number.NEGATIVE_INFINITY;
  if (!(value > 0)) return Number.NaN;
  if (value === Number.POSITIVE_INFINITY) return value;
  let exponent = 0;
  word.setFloat64(0, value);
  if (word.getUint32(0) < 0x00100000) {
    exponent = -54;
    word.setFloat64(0, value * 2 ** 54);
  }
  const high = word.getUint32(0);
  const fraction = high & 0x000fffff;
  // The value is 2ᵏ(1 + f) with 1 + f between √½ and √2.
  const carry = (fraction + 0x95f64) & 0x100000;
  word.setUint32(0, fraction | (carry ^ 0x3ff00000));
  exponent += (high >>> 20) - 1023 + (carry >>> 20);
  const f = word.getFloat64(0) - 1;
  const kHigh = exponent * logOf2High;
  const kLow = exponent * logOf2Low;
  if ((0x000fffff & (2 + fraction)) < 3) {
    if (f === 0) return kHigh + kLow;
    const rest = f * f * (0.5 - 0.3333333333333333 * f);
    return exponent === 0 ? f - rest : kHigh - (rest - kLow - f);
  }
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const even = w * (0.3999999999940942 + w * (0.22222198432149784 + w * 0.15313837699209373));
  const odd =
    z *
    (0.6666666666666735 +
      w * (0.2857142874366239 + w * (0.1818357216161805 + w * 0.14798198605116586)));
  const rest = odd + even;
  if (((fraction - 0x6147a) | (0x6b851 - fraction)) > 0) {
    const half = 0.5 * f * f;
    const part = s * (half + rest);
    return exponent === 0 ? f - (half - part) : kHigh - (half - (part + kLow) - f);
  }
  const part = s * (f - rest);
  return exponent === 0 ? f - part : kHigh - (part - kLow - f);
}
