// Products of float32 matrices, row by row, pitches in numbers. Every product and every sum is rounded by itself, and a sum runs
// over the inner index from 0, so the bits are the same on every engine. Columns come in multiples of 4.

/** Bytes of a right operand that stay in the first-level cache. */
export const CACHED: usize = 16384;

/**
 * c[m][n] = Σₖ a[m][k]·b[k][n]. Rows come by fours: up to three rows after the last are read of `a` and written of `c`.
 * `panel` has room for 8·inner numbers.
 */
export function product(
  rows: i32, columns: i32, inner: i32, a: usize, aPitch: i32, b: usize, bPitch: i32, c: usize, cPitch: i32, panel: usize,
): void {
  const la: usize = <usize>aPitch << 2, lb: usize = <usize>bPitch << 2, lc: usize = <usize>cPitch << 2;
  if (<usize>inner * lb <= CACHED) {
    for (let m: i32 = 0; m < rows; m += 4) {
      let n: i32 = 0;
      for (; n + 8 <= columns; n += 8) eight(inner, a, la, b + (<usize>n << 2), lb, c + (<usize>n << 2), lc);
      if (n < columns) four(inner, a, la, b + (<usize>n << 2), lb, c + (<usize>n << 2), lc);
      a += la << 2;
      c += lc << 2;
    }
    return;
  }
  let n: i32 = 0;
  for (; n + 8 <= columns; n += 8) {
    pack(inner, b + (<usize>n << 2), lb, panel);
    let left: usize = a, target: usize = c + (<usize>n << 2);
    for (let m: i32 = 0; m < rows; m += 4) {
      eight(inner, left, la, panel, 32, target, lc);
      left += la << 2;
      target += lc << 2;
    }
  }
  if (n == columns) return;
  for (let m: i32 = 0; m < rows; m += 4) {
    four(inner, a, la, b + (<usize>n << 2), lb, c + (<usize>n << 2), lc);
    a += la << 2;
    c += lc << 2;
  }
}

/** Eight columns, one after the other. */
export function pack(inner: i32, b: usize, lb: usize, panel: usize): void {
  for (let k: i32 = 0; k < inner; k++) {
    v128.store(panel, v128.load(b, 0), 0);
    v128.store(panel, v128.load(b, 16), 16);
    b += lb;
    panel += 32;
  }
}

/** 4 rows × 8 columns. */
function eight(inner: i32, a0: usize, la: usize, b: usize, lb: usize, c: usize, lc: usize): void {
  const a1: usize = a0 + la, a2: usize = a1 + la, a3: usize = a2 + la;
  let s00 = f32x4.splat(0), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00, s30 = s00, s31 = s00;
  const end: usize = <usize>inner << 2;
  for (let k: usize = 0; k < end; k += 4) {
    const b0 = v128.load(b, 0), b1 = v128.load(b, 16);
    b += lb;
    const x0 = v128.load32_splat(a0 + k);
    s00 = f32x4.add(s00, f32x4.mul(x0, b0));
    s01 = f32x4.add(s01, f32x4.mul(x0, b1));
    const x1 = v128.load32_splat(a1 + k);
    s10 = f32x4.add(s10, f32x4.mul(x1, b0));
    s11 = f32x4.add(s11, f32x4.mul(x1, b1));
    const x2 = v128.load32_splat(a2 + k);
    s20 = f32x4.add(s20, f32x4.mul(x2, b0));
    s21 = f32x4.add(s21, f32x4.mul(x2, b1));
    const x3 = v128.load32_splat(a3 + k);
    s30 = f32x4.add(s30, f32x4.mul(x3, b0));
    s31 = f32x4.add(s31, f32x4.mul(x3, b1));
  }
  put(c, s00, s01);
  put(c + lc, s10, s11);
  put(c + 2 * lc, s20, s21);
  put(c + 3 * lc, s30, s31);
}

/** 4 rows × 4 columns. */
function four(inner: i32, a0: usize, la: usize, b: usize, lb: usize, c: usize, lc: usize): void {
  const a1: usize = a0 + la, a2: usize = a1 + la, a3: usize = a2 + la;
  let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
  const end: usize = <usize>inner << 2;
  for (let k: usize = 0; k < end; k += 4) {
    const b0 = v128.load(b);
    b += lb;
    s0 = f32x4.add(s0, f32x4.mul(v128.load32_splat(a0 + k), b0));
    s1 = f32x4.add(s1, f32x4.mul(v128.load32_splat(a1 + k), b0));
    s2 = f32x4.add(s2, f32x4.mul(v128.load32_splat(a2 + k), b0));
    s3 = f32x4.add(s3, f32x4.mul(v128.load32_splat(a3 + k), b0));
  }
  v128.store(c, s0);
  v128.store(c + lc, s1);
  v128.store(c + 2 * lc, s2);
  v128.store(c + 3 * lc, s3);
}

@inline
export function put(target: usize, low: v128, high: v128): void {
  v128.store(target, low, 0);
  v128.store(target, high, 16);
}

/** Rows of a transposed product that share a pass over the right operand: a cache line of the left one. */
const TOGETHER: i32 = 16;

/**
 * c[m][n] = Σₖ a[k][m]·b[k][n], or with `keep` that is added to c. Rows come by fours, too: columns of `a` up to a multiple of 4 are
 * read, and rows of `c` written. With `upper` only what the upper triangle needs, in tiles of 4 × 8. `panels` has room for
 * columns·inner numbers.
 */
export function transposedProduct(
  rows: i32, columns: i32, inner: i32, a: usize, aPitch: i32, b: usize, bPitch: i32, c: usize, cPitch: i32, upper: i32, keep: i32,
  panels: usize,
): void {
  const la: usize = <usize>aPitch << 2, lb: usize = <usize>bPitch << 2, lc: usize = <usize>cPitch << 2;
  const packed = columns > 8 && rows > TOGETHER;
  const panel: usize = <usize>inner << 5;
  if (packed) {
    for (let n: i32 = 0; n + 8 <= columns; n += 8) pack(inner, b + (<usize>n << 2), lb, panels + <usize>(n >> 3) * panel);
  }
  for (let first: i32 = 0; first < rows; first += TOGETHER) {
    for (let n: i32 = 0; n < columns; n += 8) {
      const last: i32 = min(min(rows, first + TOGETHER), upper ? n + 8 : rows);
      const wide = n + 8 <= columns;
      const right: usize = wide && packed ? panels + <usize>(n >> 3) * panel : b + (<usize>n << 2);
      const lr: usize = wide && packed ? 32 : lb;
      let target: usize = c + <usize>first * lc + (<usize>n << 2);
      for (let m: i32 = first; m < last; m += 4) {
        const left: usize = a + (<usize>m << 2);
        if (wide) turnEight(inner, left, la, right, lr, target, lc, keep);
        else turnFour(inner, left, la, right, lr, target, lc, keep);
        target += lc << 2;
      }
    }
  }
}

/** 4 rows × 8 columns. */
function turnEight(inner: i32, a: usize, la: usize, b: usize, lb: usize, c: usize, lc: usize, keep: i32): void {
  let s00 = f32x4.splat(0), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00, s30 = s00, s31 = s00;
  for (let k: i32 = 0; k < inner; k++) {
    const b0 = v128.load(b, 0), b1 = v128.load(b, 16);
    b += lb;
    const x0 = v128.load32_splat(a, 0);
    s00 = f32x4.add(s00, f32x4.mul(x0, b0));
    s01 = f32x4.add(s01, f32x4.mul(x0, b1));
    const x1 = v128.load32_splat(a, 4);
    s10 = f32x4.add(s10, f32x4.mul(x1, b0));
    s11 = f32x4.add(s11, f32x4.mul(x1, b1));
    const x2 = v128.load32_splat(a, 8);
    s20 = f32x4.add(s20, f32x4.mul(x2, b0));
    s21 = f32x4.add(s21, f32x4.mul(x2, b1));
    const x3 = v128.load32_splat(a, 12);
    s30 = f32x4.add(s30, f32x4.mul(x3, b0));
    s31 = f32x4.add(s31, f32x4.mul(x3, b1));
    a += la;
  }
  if (keep) {
    add(c, s00, s01);
    add(c + lc, s10, s11);
    add(c + 2 * lc, s20, s21);
    add(c + 3 * lc, s30, s31);
  } else {
    put(c, s00, s01);
    put(c + lc, s10, s11);
    put(c + 2 * lc, s20, s21);
    put(c + 3 * lc, s30, s31);
  }
}

/** 4 rows × 4 columns. */
function turnFour(inner: i32, a: usize, la: usize, b: usize, lb: usize, c: usize, lc: usize, keep: i32): void {
  let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
  for (let k: i32 = 0; k < inner; k++) {
    const b0 = v128.load(b);
    b += lb;
    s0 = f32x4.add(s0, f32x4.mul(v128.load32_splat(a, 0), b0));
    s1 = f32x4.add(s1, f32x4.mul(v128.load32_splat(a, 4), b0));
    s2 = f32x4.add(s2, f32x4.mul(v128.load32_splat(a, 8), b0));
    s3 = f32x4.add(s3, f32x4.mul(v128.load32_splat(a, 12), b0));
    a += la;
  }
  if (keep) {
    s0 = f32x4.add(v128.load(c), s0);
    s1 = f32x4.add(v128.load(c + lc), s1);
    s2 = f32x4.add(v128.load(c + 2 * lc), s2);
    s3 = f32x4.add(v128.load(c + 3 * lc), s3);
  }
  v128.store(c, s0);
  v128.store(c + lc, s1);
  v128.store(c + 2 * lc, s2);
  v128.store(c + 3 * lc, s3);
}

@inline
function add(target: usize, low: v128, high: v128): void {
  v128.store(target, f32x4.add(v128.load(target, 0), low), 0);
  v128.store(target, f32x4.add(v128.load(target, 16), high), 16);
}

/** target[n][m] = source[m][n]; rows and columns are multiples of 4. */
export function transpose(rows: i32, columns: i32, source: usize, pitch: i32, target: usize, targetPitch: i32): void {
  const ls: usize = <usize>pitch << 2, lt: usize = <usize>targetPitch << 2;
  for (let m: i32 = 0; m < rows; m += 4) {
    let from: usize = source + <usize>m * ls, to: usize = target + (<usize>m << 2);
    for (let n: i32 = 0; n < columns; n += 4) {
      const r0 = v128.load(from), r1 = v128.load(from + ls), r2 = v128.load(from + 2 * ls), r3 = v128.load(from + 3 * ls);
      const low0 = v128.shuffle<f32>(r0, r1, 0, 4, 1, 5), high0 = v128.shuffle<f32>(r0, r1, 2, 6, 3, 7);
      const low1 = v128.shuffle<f32>(r2, r3, 0, 4, 1, 5), high1 = v128.shuffle<f32>(r2, r3, 2, 6, 3, 7);
      v128.store(to, v128.shuffle<f32>(low0, low1, 0, 1, 4, 5));
      v128.store(to + lt, v128.shuffle<f32>(low0, low1, 2, 3, 6, 7));
      v128.store(to + 2 * lt, v128.shuffle<f32>(high0, high1, 0, 1, 4, 5));
      v128.store(to + 3 * lt, v128.shuffle<f32>(high0, high1, 2, 3, 6, 7));
      from += 16;
      to += lt << 2;
    }
  }
}
