// Cosines and sines with the same bits everywhere: additions and products in a fixed order, never fused.

// π/2 in three parts; the first two have 26 bits, so that their products with whole numbers below 2²⁶ are exact.
const HALF_PI_1: f64 = 1.5707963109016418;
const HALF_PI_2: f64 = 1.5893254712295857e-8;
const HALF_PI_3: f64 = 6.123233995736766e-17;
const QUARTERS: f64 = 0.6366197723675814;
// Adding 1.5·2⁵² rounds to a whole number and leaves its last bits in the last bits of the sum.
const WHOLE: f64 = 6755399441055744;
const LARGEST: f64 = 67108864;

/**
 * cosines[r] = size·cos(factor·values[r]) and sines[r] = size·sin(factor·values[r]), two at a time: the buffers must have room
 * for an even count. NaN where an angle is beyond 2²⁶. Polynomials of fdlibm's k_cos and k_sin (Sun 1993).
 */
export function fillCosines(values: usize, count: i32, factor: f64, size: f64, cosines: usize, sines: usize): void {
  const one = f64x2.splat(1);
  for (let left: i32 = count; left > 0; left -= 2) {
    const angle = f64x2.mul(v128.load(values), f64x2.splat(factor));
    const shifted = f64x2.add(f64x2.mul(angle, f64x2.splat(QUARTERS)), f64x2.splat(WHOLE));
    const turns = f64x2.sub(shifted, f64x2.splat(WHOLE));
    const first = f64x2.sub(angle, f64x2.mul(turns, f64x2.splat(HALF_PI_1)));
    const second = f64x2.sub(first, f64x2.mul(turns, f64x2.splat(HALF_PI_2)));
    const x = f64x2.sub(second, f64x2.mul(turns, f64x2.splat(HALF_PI_3)));
    const z = f64x2.mul(x, x);

    let s = f64x2.add(f64x2.splat(-2.50507602534068634195e-8), f64x2.mul(z, f64x2.splat(1.58969099521155010221e-10)));
    s = f64x2.add(f64x2.splat(2.75573137070700676789e-6), f64x2.mul(z, s));
    s = f64x2.add(f64x2.splat(-1.98412698298579493134e-4), f64x2.mul(z, s));
    s = f64x2.add(f64x2.splat(8.33333333332248946124e-3), f64x2.mul(z, s));
    s = f64x2.add(f64x2.splat(-1.66666666666666324348e-1), f64x2.mul(z, s));
    const sine = f64x2.add(x, f64x2.mul(f64x2.mul(z, x), s));

    let c = f64x2.add(f64x2.splat(2.0875723212981748279e-9), f64x2.mul(z, f64x2.splat(-1.13596475577881948265e-11)));
    c = f64x2.add(f64x2.splat(-2.75573143513906633035e-7), f64x2.mul(z, c));
    c = f64x2.add(f64x2.splat(2.48015872894767294178e-5), f64x2.mul(z, c));
    c = f64x2.add(f64x2.splat(-1.38888888888741095749e-3), f64x2.mul(z, c));
    c = f64x2.add(f64x2.splat(4.16666666666666019037e-2), f64x2.mul(z, c));
    const half = f64x2.mul(f64x2.splat(0.5), z);
    const top = f64x2.sub(one, half);
    const rest = f64x2.add(f64x2.sub(f64x2.sub(one, top), half), f64x2.mul(f64x2.mul(z, z), c));
    const cosine = f64x2.add(top, rest);

    // An odd number of quarter turns swaps the two; signs follow from the second bit of the number.
    const odd = i64x2.sub(i64x2.splat(0), v128.and(shifted, i64x2.splat(1)));
    const half2 = i64x2.add(shifted, i64x2.splat(1));
    const cosineSign = i64x2.shl(v128.and(half2, i64x2.splat(2)), 62);
    const sineSign = i64x2.shl(v128.and(shifted, i64x2.splat(2)), 62);
    const inside = f64x2.le(f64x2.abs(angle), f64x2.splat(LARGEST));
    const scale = v128.bitselect(f64x2.splat(size), f64x2.splat(NaN), inside);
    v128.store(cosines, f64x2.mul(scale, v128.xor(v128.bitselect(sine, cosine, odd), cosineSign)));
    v128.store(sines, f64x2.mul(scale, v128.xor(v128.bitselect(cosine, sine, odd), sineSign)));
    values += 16;
    cosines += 16;
    sines += 16;
  }
}
