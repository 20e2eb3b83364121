const LOG_2_HIGH = 0.6931471803691238;
const LOG_2_LOW = 1.9082149292705877e-10;
const INVERSE_LOG_2 = Math.LOG2E;
const WHOLE = 6755399441055744;
/** Below it e^x is not a normal number, and 0 here. */
const SMALLEST = -708;

const bits = new DataView(new ArrayBuffer(8));

/**
 * e^x for x ≤ 0, from additions, products and a quotient in a fixed order, so that its bits are the same on every engine.
 * fdlibm's e_exp (Sun 1993), with an error below one unit in the last place; 0 below −708.
 */
export function decay(x: number): number {
  if (x < SMALLEST) return 0;
  if (!(x <= 0)) return Number.NaN;
  const k = x * INVERSE_LOG_2 + WHOLE - WHOLE;
  const high = x - k * LOG_2_HIGH;
  const low = k * LOG_2_LOW;
  const r = high - low;
  const t = r * r;
  const c =
    r -
    t *
      (0.16666666666666602 +
        t *
          (-0.0027777777777015593 +
            t * (6.613756321437934e-5 + t * (-1.6533902205465252e-6 + t * 4.1381367970572385e-8))));
  const y = 1 - (low - (r * c) / (2 - c) - high);
  bits.setUint32(0, (k + 1023) << 20);
  return y * bits.getFloat64(0);
}
