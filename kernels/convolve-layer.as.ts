// A convolution of images [row][column][channel] without copies of its windows: a window is `size` runs of neighbouring numbers.
import { CACHED, pack, put } from './products.as';

/**
 * made[position][n] = bias[n] + Σ window·weights[·][n]: weights as [window row, window column, channel][output], the bias (if there
 * is one) as their last row. Positions of an image come by fours: up to three rows after the last are written over. `panel`
 * has room for eight columns of the weights.
 */
export function convolve(
  images: usize, count: i32, imagePitch: i32, height: i32, width: i32, channels: i32, size: i32, weights: usize, outputs: i32,
  bias: i32, made: usize, panel: usize,
): void {
  const lb: usize = <usize>outputs << 2;
  const inner: i32 = size * size * channels;
  const positions: i32 = (height - size + 1) * (width - size + 1);
  const packed = <usize>inner * lb > CACHED;
  for (let n: i32 = 0; n < outputs; n += 8) {
    const right: usize = weights + (<usize>n << 2);
    const start: usize = bias ? right + <usize>inner * lb : 0;
    const wide = n + 8 <= outputs;
    const usePanel = wide && packed;
    if (usePanel) pack(inner, right, lb, panel);
    let image: usize = images, target: usize = made + (<usize>n << 2);
    for (let k: i32 = 0; k < count; k++) {
      overImage(image, width, channels, size, positions, usePanel ? panel : right, usePanel ? 32 : lb, start, wide, target, lb);
      image += <usize>imagePitch << 2;
      target += <usize>positions * lb;
    }
  }
}

function overImage(
  image: usize, width: i32, channels: i32, size: i32, positions: i32, right: usize, lr: usize, start: usize, wide: bool,
  target: usize, lc: usize,
): void {
  const line: usize = <usize>(width * channels) << 2, run: usize = <usize>(size * channels) << 2;
  const pixel: usize = <usize>channels << 2, jump: usize = <usize>((size - 1) * channels) << 2;
  const across: i32 = width - size + 1;
  let from: usize = image;
  let x: i32 = 0;
  for (let t: i32 = 0; t < positions; t += 4) {
    // Missing positions repeat the last one.
    const left: i32 = positions - t;
    const a0: usize = from;
    if (left > 1) { from += pixel; if (++x == across) { x = 0; from += jump; } }
    const a1: usize = from;
    if (left > 2) { from += pixel; if (++x == across) { x = 0; from += jump; } }
    const a2: usize = from;
    if (left > 3) { from += pixel; if (++x == across) { x = 0; from += jump; } }
    const a3: usize = from;
    { from += pixel; if (++x == across) { x = 0; from += jump; } }
    if (wide) eightOf(a0, a1, a2, a3, line, run, size, right, lr, start, target, lc);
    else fourOf(a0, a1, a2, a3, line, run, size, right, lr, start, target, lc);
    target += lc << 2;
  }
}

/** 4 positions × 8 outputs. */
function eightOf(
  a0: usize, a1: usize, a2: usize, a3: usize, line: usize, run: usize, size: i32, b: usize, lb: usize, start: usize, c: usize,
  lc: usize,
): void {
  let s00 = f32x4.splat(0), s01 = s00;
  if (start != 0) {
    s00 = v128.load(start, 0);
    s01 = v128.load(start, 16);
  }
  let s10 = s00, s11 = s01, s20 = s00, s21 = s01, s30 = s00, s31 = s01;
  for (let i: i32 = 0; i < size; i++) {
    for (let k: usize = 0; k < run; k += 4) {
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
    a0 += line;
    a1 += line;
    a2 += line;
    a3 += line;
  }
  put(c, s00, s01);
  put(c + lc, s10, s11);
  put(c + 2 * lc, s20, s21);
  put(c + 3 * lc, s30, s31);
}

/** 4 positions × 4 outputs. */
function fourOf(
  a0: usize, a1: usize, a2: usize, a3: usize, line: usize, run: usize, size: i32, b: usize, lb: usize, start: usize, c: usize,
  lc: usize,
): void {
  let s0 = f32x4.splat(0);
  if (start != 0) s0 = v128.load(start);
  let s1 = s0, s2 = s0, s3 = s0;
  for (let i: i32 = 0; i < size; i++) {
    for (let k: usize = 0; k < run; k += 4) {
      const b0 = v128.load(b);
      b += lb;
      s0 = f32x4.add(s0, f32x4.mul(v128.load32_splat(a0 + k), b0));
      s1 = f32x4.add(s1, f32x4.mul(v128.load32_splat(a1 + k), b0));
      s2 = f32x4.add(s2, f32x4.mul(v128.load32_splat(a2 + k), b0));
      s3 = f32x4.add(s3, f32x4.mul(v128.load32_splat(a3 + k), b0));
    }
    a0 += line;
    a1 += line;
    a2 += line;
    a3 += line;
  }
  v128.store(c, s0);
  v128.store(c + lc, s1);
  v128.store(c + 2 * lc, s2);
  v128.store(c + 3 * lc, s3);
}
