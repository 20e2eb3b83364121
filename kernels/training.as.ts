// Training of networks in float32. Nothing here fuses, and every sum has a fixed order, so weights and Fisher information have the
// same bits on every engine. Counts of numbers are multiples of 4.
export { addChosen, putPlaces, takePlaces, spreadChosen } from './chosen-windows.as';
export { convolve } from './convolve-layer.as';
export { product, transpose, transposedProduct } from './products.as';
export { arrange, frame, patches, rectify, spread, sumPatches } from './windows.as';

/** A momentum below this counts as 0: it would shrink to a subnormal number, which slows some processors down, and stay there. */
const LEAST: f32 = 1e-30;

/** v ← μv + g and w ← w − ηv: gradient descent with momentum as in PyTorch. */
export function momentumStep(w: usize, v: usize, g: usize, count: i32, rate: f32, momentum: f32): void {
  const eta = f32x4.splat(rate), mu = f32x4.splat(momentum), least = f32x4.splat(LEAST);
  const bytes: usize = <usize>count << 2;
  for (let k: usize = 0; k < bytes; k += 16) {
    const sum = f32x4.add(f32x4.mul(mu, v128.load(v + k)), v128.load(g + k));
    const speed = v128.andnot(sum, f32x4.lt(f32x4.abs(sum), least));
    v128.store(v + k, speed);
    v128.store(w + k, f32x4.sub(v128.load(w + k), f32x4.mul(eta, speed)));
  }
}

/**
 * Adam as in PyTorch (Kingma & Ba 2015, Algorithm 1): `rate` is η / (1 − β₁ᵗ) and `root` is √(1 − β₂ᵗ).
 */
export function adamStep(
  w: usize, m: usize, v: usize, g: usize, count: i32, rate: f32, root: f32, beta1: f32, rest1: f32, beta2: f32, rest2: f32,
  epsilon: f32,
): void {
  const bytes: usize = <usize>count << 2;
  const b1 = f32x4.splat(beta1), r1 = f32x4.splat(rest1), b2 = f32x4.splat(beta2), r2 = f32x4.splat(rest2);
  const eta = f32x4.splat(rate), scale = f32x4.splat(root), small = f32x4.splat(epsilon);
  for (let k: usize = 0; k < bytes; k += 16) {
    const slope = v128.load(g + k);
    const mean = f32x4.add(f32x4.mul(b1, v128.load(m + k)), f32x4.mul(r1, slope));
    const square = f32x4.add(f32x4.mul(b2, v128.load(v + k)), f32x4.mul(r2, f32x4.mul(slope, slope)));
    v128.store(m + k, mean);
    v128.store(v + k, square);
    const size = f32x4.add(f32x4.div(f32x4.sqrt(square), scale), small);
    v128.store(w + k, f32x4.sub(v128.load(w + k), f32x4.mul(eta, f32x4.div(mean, size))));
  }
}

/** target += source². */
export function addSquares(target: usize, source: usize, count: i32): void {
  const bytes: usize = <usize>count << 2;
  for (let k: usize = 0; k < bytes; k += 16) {
    const value = v128.load(source + k);
    v128.store(target + k, f32x4.add(v128.load(target + k), f32x4.mul(value, value)));
  }
}

/** Adds float32 sums to float64 ones, and sets them to 0. */
export function fold(sums: usize, values: usize, count: i32): void {
  const end: usize = values + (<usize>count << 2);
  for (; values < end; values += 16) {
    const value = v128.load(values);
    v128.store(sums, f64x2.add(v128.load(sums, 0), f64x2.promote_low_f32x4(value)), 0);
    const high = v128.shuffle<f32>(value, value, 2, 3, 2, 3);
    v128.store(sums, f64x2.add(v128.load(sums, 16), f64x2.promote_low_f32x4(high)), 16);
    v128.store(values, f32x4.splat(0));
    sums += 32;
  }
}
