const logOf2High = 0.6931471803691238;
const logOf2Low = 1.9082149292705877e-10;
const word = new DataView(new ArrayBuffer(8));

/**
 * eˣ from additions, products and one quotient, so that its bits are the same on every engine; the standard does not fix
 * those of Math.exp. fdlibm's e_exp (Sun 1993); results outside the normal doubles are 0 or ∞.
 */
export function exponential(x: number): number {
  if (!(x >= -708)) return Number.isNaN(x) ? x : 0;
  if (x > 709) return Number.POSITIVE_INFINITY;
  const k = Math.trunc(Math.LOG2E * x + (x < 0 ? -0.5 : 0.5));
  const high = x - k * logOf2High;
  const low = k * logOf2Low;
  const r = high - low;
  const t = r * r;
  const c =
    r -
    t *
      (0.16666666666666602 +
        t *
          (-2.7777777777015593e-3 +
            t * (6.613756321437934e-5 + t * (-1.6533902205465252e-6 + t * 4.1381367970572385e-8))));
  const scaled = 1 - (low - (r * c) / (2 - c) - high);
  word.setUint32(0, (k + 1023) << 20);
  return scaled * word.getFloat64(0);
}

/** e^x of a kernel: for x ≤ 0 only. */
export function decay(x: number): number {
  return x <= 0 ? exponential(x) : Number.NaN;
}
