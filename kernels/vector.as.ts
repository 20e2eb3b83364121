// Vectors of float64: y += a·x and x·y, two lanes at a time.
import { multiplyAdd } from './arithmetic.as';

export function addScaled(y: usize, x: usize, n: i32, a: f64): void {
  const scale = f64x2.splat(a);
  let left: i32 = n;
  for (; left >= 4; left -= 4) {
    v128.store(y, multiplyAdd(scale, v128.load(x, 0), v128.load(y, 0)), 0);
    v128.store(y, multiplyAdd(scale, v128.load(x, 16), v128.load(y, 16)), 16);
    y += 32;
    x += 32;
  }
  for (; left > 0; left--) {
    store<f64>(y, load<f64>(y) + a * load<f64>(x));
    y += 8;
    x += 8;
  }
}

export function dot(x: usize, y: usize, n: i32): f64 {
  let even = f64x2.splat(0), odd = f64x2.splat(0);
  let left: i32 = n;
  for (; left >= 4; left -= 4) {
    even = multiplyAdd(v128.load(x, 0), v128.load(y, 0), even);
    odd = multiplyAdd(v128.load(x, 16), v128.load(y, 16), odd);
    x += 32;
    y += 32;
  }
  const both = f64x2.add(even, odd);
  let sum: f64 = f64x2.extract_lane(both, 0) + f64x2.extract_lane(both, 1);
  for (; left > 0; left--) {
    sum += load<f64>(x) * load<f64>(y);
    x += 8;
    y += 8;
  }
  return sum;
}
