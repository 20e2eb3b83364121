// a·b + c on two lanes; fused where the build allows it. ASC_FEATURE_RELAXED_SIMD is a compile-time constant.
@inline
export function multiplyAdd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f64x2.relaxed_madd(a, b, c);
  return f64x2.add(f64x2.mul(a, b), c);
}

/** 1 if multiplyAdd rounds once, 0 if it rounds twice. */
export function isFused(): i32 {
  const x = f64x2.splat(1.0 + 1.0 / 134217728.0);
  const r = multiplyAdd(x, x, f64x2.splat(-(1.0 + 1.0 / 67108864.0)));
  return f64x2.extract_lane(r, 0) != 0 ? 1 : 0;
}
