// Descriptions of a column. Sums run in four lanes, value i in lane i mod 4; what is left of the last four is added at the end.

@inline
function sumOf(even: v128, odd: v128): f64 {
  const both = f64x2.add(even, odd);
  return f64x2.extract_lane(both, 0) + f64x2.extract_lane(both, 1);
}

@inline
function lesser(a: f64, b: f64): f64 {
  return b < a ? b : a;
}

@inline
function greater(a: f64, b: f64): f64 {
  return a < b ? b : a;
}

// The values that are not NaN, 0 for the others.
@inline
function present(x: v128): v128 {
  return v128.and(x, f64x2.eq(x, x));
}

/** Over n values, of which NaN do not count, five f64 at `out`: number, mean, Σ (x − mean)², smallest, largest. */
export function describeNumbers(from: usize, n: i32, out: usize): void {
  const zero = f64x2.splat(0);
  let sum0 = zero, sum1 = zero, count = i64x2.splat(0);
  let low0 = f64x2.splat(Infinity), low1 = low0, high0 = f64x2.splat(-Infinity), high1 = high0;
  let p = from;
  let left: i32 = n;
  for (; left >= 4; left -= 4) {
    const x = v128.load(p), y = v128.load(p, 16);
    sum0 = f64x2.add(sum0, present(x));
    sum1 = f64x2.add(sum1, present(y));
    count = i64x2.sub(i64x2.sub(count, f64x2.eq(x, x)), f64x2.eq(y, y));
    low0 = f64x2.pmin(low0, x);
    low1 = f64x2.pmin(low1, y);
    high0 = f64x2.pmax(high0, x);
    high1 = f64x2.pmax(high1, y);
    p += 32;
  }
  low0 = f64x2.pmin(low0, low1);
  high0 = f64x2.pmax(high0, high1);
  let sum = sumOf(sum0, sum1);
  let numbers = <f64>(i64x2.extract_lane(count, 0) + i64x2.extract_lane(count, 1));
  let low = lesser(f64x2.extract_lane(low0, 0), f64x2.extract_lane(low0, 1));
  let high = greater(f64x2.extract_lane(high0, 0), f64x2.extract_lane(high0, 1));
  for (; left > 0; left--) {
    const x = load<f64>(p);
    if (x == x) {
      sum += x;
      numbers += 1;
      low = lesser(low, x);
      high = greater(high, x);
    }
    p += 8;
  }
  const mean: f64 = numbers == 0 ? 0 : sum / numbers;
  const middle = f64x2.splat(mean);
  let squares0 = zero, squares1 = zero;
  p = from;
  for (left = n; left >= 4; left -= 4) {
    const x = present(f64x2.sub(v128.load(p), middle)), y = present(f64x2.sub(v128.load(p, 16), middle));
    squares0 = f64x2.add(squares0, f64x2.mul(x, x));
    squares1 = f64x2.add(squares1, f64x2.mul(y, y));
    p += 32;
  }
  let squares = sumOf(squares0, squares1);
  for (; left > 0; left--) {
    const x = load<f64>(p) - mean;
    if (x == x) squares += x * x;
    p += 8;
  }
  store<f64>(out, numbers, 0);
  store<f64>(out, mean, 8);
  store<f64>(out, squares, 16);
  store<f64>(out, low, 24);
  store<f64>(out, high, 32);
}

/**
 * Over n ≥ 1 values v, none NaN, nine f64 at `out`: mean of v − center, Σ ((v − center − mean)·factor)², smallest, largest,
 * how many are not 0, Σ|v|, the two largest |v|; and 1 if all are whole.
 */
export function scanNumbers(from: usize, n: i32, center: f64, factor: f64, out: usize): void {
  const zero = f64x2.splat(0), middle = f64x2.splat(center);
  const start = load<f64>(from);
  let sum0 = zero, sum1 = zero, size0 = zero, size1 = zero, nonzero = i64x2.splat(0);
  let low0 = f64x2.splat(start), low1 = low0, high0 = low0, high1 = low0;
  let first0 = zero, first1 = zero, second0 = zero, second1 = zero, whole = i64x2.splat(-1);
  let p = from;
  let left: i32 = n;
  for (; left >= 4; left -= 4) {
    const x = v128.load(p), y = v128.load(p, 16);
    const a = f64x2.abs(x), b = f64x2.abs(y);
    sum0 = f64x2.add(sum0, f64x2.sub(x, middle));
    sum1 = f64x2.add(sum1, f64x2.sub(y, middle));
    size0 = f64x2.add(size0, a);
    size1 = f64x2.add(size1, b);
    nonzero = i64x2.sub(i64x2.sub(nonzero, f64x2.gt(a, zero)), f64x2.gt(b, zero));
    low0 = f64x2.pmin(low0, x);
    low1 = f64x2.pmin(low1, y);
    high0 = f64x2.pmax(high0, x);
    high1 = f64x2.pmax(high1, y);
    second0 = f64x2.pmax(second0, f64x2.pmin(first0, a));
    second1 = f64x2.pmax(second1, f64x2.pmin(first1, b));
    first0 = f64x2.pmax(first0, a);
    first1 = f64x2.pmax(first1, b);
    whole = v128.and(whole, v128.and(f64x2.eq(x, f64x2.floor(x)), f64x2.eq(y, f64x2.floor(y))));
    p += 32;
  }
  second0 = f64x2.pmax(f64x2.pmin(first0, first1), f64x2.pmax(second0, second1));
  first0 = f64x2.pmax(first0, first1);
  low0 = f64x2.pmin(low0, low1);
  high0 = f64x2.pmax(high0, high1);
  let sum = sumOf(sum0, sum1), size = sumOf(size0, size1);
  let others = <f64>(i64x2.extract_lane(nonzero, 0) + i64x2.extract_lane(nonzero, 1));
  let low = lesser(f64x2.extract_lane(low0, 0), f64x2.extract_lane(low0, 1));
  let high = greater(f64x2.extract_lane(high0, 0), f64x2.extract_lane(high0, 1));
  const firstLeft = f64x2.extract_lane(first0, 0), firstRight = f64x2.extract_lane(first0, 1);
  let first = greater(firstLeft, firstRight);
  let second = greater(f64x2.extract_lane(second0, 0), f64x2.extract_lane(second0, 1));
  second = greater(second, lesser(firstLeft, firstRight));
  let allWhole = i64x2.all_true(whole);
  for (; left > 0; left--) {
    const x = load<f64>(p), a = abs(x);
    sum += x - center;
    size += a;
    if (a > 0) others += 1;
    low = lesser(low, x);
    high = greater(high, x);
    second = greater(second, lesser(first, a));
    first = greater(first, a);
    allWhole = allWhole && x == floor(x);
    p += 8;
  }
  const mean = sum / <f64>n;
  const about = f64x2.splat(mean), times = f64x2.splat(factor);
  let squares0 = zero, squares1 = zero;
  p = from;
  for (left = n; left >= 4; left -= 4) {
    const x = f64x2.mul(f64x2.sub(f64x2.sub(v128.load(p), middle), about), times);
    const y = f64x2.mul(f64x2.sub(f64x2.sub(v128.load(p, 16), middle), about), times);
    squares0 = f64x2.add(squares0, f64x2.mul(x, x));
    squares1 = f64x2.add(squares1, f64x2.mul(y, y));
    p += 32;
  }
  let squares = sumOf(squares0, squares1);
  for (; left > 0; left--) {
    const x = (load<f64>(p) - center - mean) * factor;
    squares += x * x;
    p += 8;
  }
  store<f64>(out, mean, 0);
  store<f64>(out, squares, 8);
  store<f64>(out, low, 16);
  store<f64>(out, high, 24);
  store<f64>(out, others, 32);
  store<f64>(out, size, 40);
  store<f64>(out, first, 48);
  store<f64>(out, second, 56);
  store<f64>(out, allWhole ? 1 : 0, 64);
}
