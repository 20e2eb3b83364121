// Layers of a convolutional network, float32, images as [row][column][channel]. Every product and every sum is rounded by itself
// and in a fixed order, so the bits are the same on every engine; `test/network-twin.ts` says the same in plain TypeScript.
// Channels come in multiples of 8.

/** What follows a layer. */
const RELU: i32 = 1;
const HARD_SWISH: i32 = 2;
const GATE: i32 = 3;

/** 1/6 as float16: the constant of the model's file. */
const SIXTH: f32 = 0.1666259765625;

/** Values of the left operand that should stay in the first-level cache: 16 KiB. */
const CACHED: i32 = 4096;

@inline
function relu6(x: v128): v128 {
  return f32x4.min(f32x4.max(f32x4.add(x, f32x4.splat(3)), f32x4.splat(0)), f32x4.splat(6));
}

@inline
function activate(x: v128, activation: i32): v128 {
  if (activation == RELU) return f32x4.max(x, f32x4.splat(0));
  if (activation == HARD_SWISH) return f32x4.mul(f32x4.mul(f32x4.splat(SIXTH), x), relu6(x));
  if (activation == GATE) return f32x4.mul(f32x4.splat(SIXTH), relu6(x));
  return x;
}

/**
 * output[m][n] = a(bias[n] + Σₖ input[m][k]·weights[k][n]) + residual[m][n]: a 1×1 convolution of `pixels` pixels. The sum starts
 * at the bias. Weights come in panels of 8 columns, [panel][k][8]; `residual` is 0 if there is none.
 */
export function pointwise(
  input: usize, pixels: i32, inner: i32, weights: usize, bias: usize, outer: i32, output: usize, activation: i32, residual: usize,
): void {
  const block: i32 = max(16, (CACHED / inner) & ~3);
  const stride: usize = <usize>outer << 2;
  const panel: usize = <usize>inner << 5;
  for (let first: i32 = 0; first < pixels; first += block) {
    const last: i32 = min(first + block, pixels);
    for (let n: i32 = 0; n < outer; n += 8) {
      const at: usize = <usize>n << 2;
      const right: usize = weights + <usize>(n >> 3) * panel;
      for (let m: i32 = first; m < last; m += 4) {
        const place: usize = <usize>m * stride + at;
        tile(
          input + <usize>m * (<usize>inner << 2), inner, right, bias + at, output + place, stride, min(4, last - m), activation,
          residual == 0 ? 0 : residual + place,
        );
      }
    }
  }
}

/** Up to 4 pixels × 8 columns. Missing pixels repeat the last one, so that they write its values again. */
function tile(
  a0: usize, inner: i32, right: usize, bias: usize, c0: usize, stride: usize, pixels: i32, activation: i32, residual: usize,
): void {
  const row: usize = <usize>inner << 2;
  const a1: usize = pixels > 1 ? a0 + row : a0;
  const a2: usize = pixels > 2 ? a1 + row : a1;
  const a3: usize = pixels > 3 ? a2 + row : a2;
  const low = v128.load(bias, 0), high = v128.load(bias, 16);
  let s00 = low, s01 = high, s10 = low, s11 = high;
  let s20 = low, s21 = high, s30 = low, s31 = high;
  for (let k: usize = 0; k < row; k += 4) {
    const w0 = v128.load(right, 0), w1 = v128.load(right, 16);
    right += 32;
    const x0 = v128.load32_splat(a0 + k);
    s00 = f32x4.add(s00, f32x4.mul(x0, w0));
    s01 = f32x4.add(s01, f32x4.mul(x0, w1));
    const x1 = v128.load32_splat(a1 + k);
    s10 = f32x4.add(s10, f32x4.mul(x1, w0));
    s11 = f32x4.add(s11, f32x4.mul(x1, w1));
    const x2 = v128.load32_splat(a2 + k);
    s20 = f32x4.add(s20, f32x4.mul(x2, w0));
    s21 = f32x4.add(s21, f32x4.mul(x2, w1));
    const x3 = v128.load32_splat(a3 + k);
    s30 = f32x4.add(s30, f32x4.mul(x3, w0));
    s31 = f32x4.add(s31, f32x4.mul(x3, w1));
  }
  const c1: usize = pixels > 1 ? c0 + stride : c0;
  const c2: usize = pixels > 2 ? c1 + stride : c1;
  const c3: usize = pixels > 3 ? c2 + stride : c2;
  const beside: usize = residual - c0;
  finish(c0, s00, s01, activation, residual, beside);
  finish(c1, s10, s11, activation, residual, beside);
  finish(c2, s20, s21, activation, residual, beside);
  finish(c3, s30, s31, activation, residual, beside);
}

@inline
function finish(target: usize, low: v128, high: v128, activation: i32, residual: usize, beside: usize): void {
  let first = activate(low, activation), second = activate(high, activation);
  if (residual != 0) {
    first = f32x4.add(first, v128.load(target + beside, 0));
    second = f32x4.add(second, v128.load(target + beside, 16));
  }
  v128.store(target, first, 0);
  v128.store(target, second, 16);
}

/**
 * A depthwise convolution of one image, `size` × `size`, weights [row][column][channel]. The sum starts at the bias and adds the
 * taps that lie inside the image, row by row; `before` is the padding above and to the left.
 */
export function depthwise(
  input: usize, height: i32, width: i32, channels: i32, weights: usize, bias: usize, size: i32, stride: i32, before: i32,
  output: usize, outHeight: i32, outWidth: i32, activation: i32,
): void {
  const bytes: usize = <usize>channels << 2;
  for (let y: i32 = 0; y < outHeight; y++) {
    const top: i32 = y * stride - before;
    const firstRow: i32 = max(0, -top);
    const rows: i32 = min(size, height - top) - firstRow;
    for (let x: i32 = 0; x < outWidth; x++) {
      const left: i32 = x * stride - before;
      const firstColumn: i32 = max(0, -left);
      const columns: i32 = min(size, width - left) - firstColumn;
      const from: usize = input + <usize>((top + firstRow) * width + left + firstColumn) * bytes;
      const taps: usize = weights + <usize>(firstRow * size + firstColumn) * bytes;
      if (size == 3 && rows == 3 && columns == 3) {
        nine(from, <usize>width * bytes, bytes, taps, bias, output, activation);
      } else {
        some(from, <usize>width * bytes, bytes, taps, <usize>size * bytes, bias, rows, columns, output, activation);
      }
      output += bytes;
    }
  }
}

/** One pixel with all nine taps. */
function nine(from: usize, row: usize, bytes: usize, taps: usize, bias: usize, output: usize, activation: i32): void {
  for (let c: usize = 0; c < bytes; c += 16) {
    let sum = v128.load(bias + c);
    let x: usize = from + c, w: usize = taps + c;
    for (let k: i32 = 0; k < 3; k++) {
      sum = f32x4.add(sum, f32x4.mul(v128.load(x), v128.load(w)));
      sum = f32x4.add(sum, f32x4.mul(v128.load(x + bytes), v128.load(w + bytes)));
      w += bytes;
      sum = f32x4.add(sum, f32x4.mul(v128.load(x + 2 * bytes), v128.load(w + bytes)));
      w += 2 * bytes;
      x += row;
    }
    v128.store(output + c, activate(sum, activation));
  }
}

/** One pixel with the taps of `rows` rows and `columns` columns. */
function some(
  from: usize, row: usize, bytes: usize, taps: usize, tapRow: usize, bias: usize, rows: i32, columns: i32, output: usize,
  activation: i32,
): void {
  const length: usize = <usize>columns * bytes;
  for (let c: usize = 0; c < bytes; c += 32) {
    let low = v128.load(bias + c, 0), high = v128.load(bias + c, 16);
    let x: usize = from + c, w: usize = taps + c;
    for (let k: i32 = 0; k < rows; k++) {
      for (let at: usize = 0; at < length; at += bytes) {
        low = f32x4.add(low, f32x4.mul(v128.load(x + at, 0), v128.load(w + at, 0)));
        high = f32x4.add(high, f32x4.mul(v128.load(x + at, 16), v128.load(w + at, 16)));
      }
      x += row;
      w += tapRow;
    }
    v128.store(output + c, activate(low, activation), 0);
    v128.store(output + c, activate(high, activation), 16);
  }
}

/** target[c] = (Σ values[pixel][c]) / pixels, pixel by pixel from 0. */
export function channelMeans(values: usize, pixels: i32, channels: i32, target: usize): void {
  for (let c: i32 = 0; c < channels; c += 8) meansOf(values + (<usize>c << 2), pixels, <usize>channels << 2, target + (<usize>c << 2));
}

function meansOf(values: usize, pixels: i32, bytes: usize, target: usize): void {
  let low = f32x4.splat(0), high = f32x4.splat(0);
  for (let k: i32 = 0; k < pixels; k++) {
    low = f32x4.add(low, v128.load(values, 0));
    high = f32x4.add(high, v128.load(values, 16));
    values += bytes;
  }
  const count = f32x4.splat(<f32>pixels);
  v128.store(target, f32x4.div(low, count), 0);
  v128.store(target, f32x4.div(high, count), 16);
}

/** values[pixel][c] *= gates[c]. */
export function scaleChannels(values: usize, pixels: i32, channels: i32, gates: usize): void {
  const bytes: usize = <usize>channels << 2;
  for (let k: i32 = 0; k < pixels; k++) {
    scalePixel(values, bytes, gates);
    values += bytes;
  }
}

function scalePixel(values: usize, bytes: usize, gates: usize): void {
  for (let c: usize = 0; c < bytes; c += 32) {
    v128.store(values + c, f32x4.mul(v128.load(gates + c, 0), v128.load(values + c, 0)), 0);
    v128.store(values + c, f32x4.mul(v128.load(gates + c, 16), v128.load(values + c, 16)), 16);
  }
}

/** The activation of every value, in place. */
export function activateAll(values: usize, count: i32, activation: i32): void {
  const end: usize = values + (<usize>count << 2);
  for (; values < end; values += 16) v128.store(values, activate(v128.load(values), activation));
}

/**
 * Bilinear resize of [height][width][channels] to `size` × `size` as TensorFlow's without half-pixel centres: output row y lies at
 * y·height/size of the input. `rows` and `columns` are tables of `size` entries: byte offsets of the two neighbours and the
 * weight of the second (i32, i32, f32).
 */
export function resizeBilinear(input: usize, channels: i32, rows: usize, columns: usize, size: i32, output: usize): void {
  const bytes: usize = <usize>channels << 2;
  for (let y: i32 = 0; y < size; y++) {
    resizeRow(input + load<u32>(rows, 0), input + load<u32>(rows, 4), load<f32>(rows, 8), bytes, columns, size, output);
    rows += 12;
    output += <usize>size * bytes;
  }
}

function resizeRow(upper: usize, lower: usize, down: f32, bytes: usize, columns: usize, size: i32, output: usize): void {
  for (let x: i32 = 0; x < size; x++) {
    const left: usize = load<u32>(columns, 0), right: usize = load<u32>(columns, 4);
    const along = load<f32>(columns, 8);
    for (let c: usize = 0; c < bytes; c += 4) {
      const a = load<f32>(upper + left + c), b = load<f32>(lower + left + c);
      const above = a + (load<f32>(upper + right + c) - a) * along;
      const below = b + (load<f32>(lower + right + c) - b) * along;
      store<f32>(output + c, above + (below - above) * down);
    }
    columns += 12;
    output += bytes;
  }
}

/** The 3×3 neighbourhoods, stride 2, of an image with 3 channels, as rows of 27 values; 0 outside the image. */
export function patches(input: usize, size: i32, before: i32, output: usize, outSize: i32): void {
  for (let y: i32 = 0; y < outSize; y++) {
    for (let x: i32 = 0; x < outSize; x++) {
      patch(input, size, 2 * y - before, 2 * x - before, output);
      output += 108;
    }
  }
}

function patch(input: usize, size: i32, top: i32, left: i32, output: usize): void {
  for (let y: i32 = top; y < top + 3; y++) {
    for (let x: i32 = left; x < left + 3; x++) {
      const inside = y >= 0 && y < size && x >= 0 && x < size;
      const at: usize = input + <usize>((y * size + x) * 12);
      store<f32>(output, inside ? load<f32>(at, 0) : 0, 0);
      store<f32>(output, inside ? load<f32>(at, 4) : 0, 4);
      store<f32>(output, inside ? load<f32>(at, 8) : 0, 8);
      output += 12;
    }
  }
}

/** A grey image as a coloured one: each value three times. */
export function repeatChannel(input: usize, pixels: i32, output: usize): void {
  for (let k: i32 = 0; k < pixels; k++) {
    const value = load<f32>(input);
    store<f32>(output, value, 0);
    store<f32>(output, value, 4);
    store<f32>(output, value, 8);
    input += 4;
    output += 12;
  }
}
