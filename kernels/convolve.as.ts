// Random convolution features of images, in float32: every product and every sum is rounded by itself, in the order that
// `imageConvolverTwin` (src/numeric/convolve-images.ts) writes down. No fused operation: the bits are the same everywhere.

/** Copies the patches of an image (channel → row → column) to a row for each tap: [tap][position], zeros up to `stride`. */
function unroll(
  image: usize, channels: i32, height: i32, width: i32, size: i32, patches: usize, stride: i32,
): void {
  const tall: i32 = height - size + 1, wide: i32 = width - size + 1;
  const rowBytes: usize = <usize>wide * 4, tapBytes: usize = <usize>stride * 4;
  let tap: usize = patches;
  for (let c: i32 = 0; c < channels; c++) {
    for (let i: i32 = 0; i < size; i++) {
      for (let j: i32 = 0; j < size; j++) {
        let from: usize = image + <usize>((c * height + i) * width + j) * 4;
        let to: usize = tap;
        for (let y: i32 = 0; y < tall; y++) {
          // May write past the row: the next row, or the zeros, overwrite it.
          for (let at: usize = 0; at < rowBytes; at += 16) v128.store(to + at, v128.load(from + at));
          from += <usize>width * 4;
          to += rowBytes;
        }
        tap += tapBytes;
        while (to < tap) {
          store<f32>(to, 0);
          to += 4;
        }
      }
    }
  }
}

/** maps[f][p] = Σ filter[f][t]·patches[t][p], four filters and eight positions at a time; filters as group → tap → 4. */
function multiply(filters: usize, groups: i32, taps: i32, patches: usize, stride: i32, maps: usize): void {
  const line: usize = <usize>stride * 4;
  for (let p: i32 = 0; p < stride; p += 8) {
    let weight: usize = filters;
    let out: usize = maps + <usize>p * 4;
    for (let g: i32 = 0; g < groups; g++) {
      let from: usize = patches + <usize>p * 4;
      let a0 = f32x4.splat(0), a1 = a0, b0 = a0, b1 = a0, c0 = a0, c1 = a0, d0 = a0, d1 = a0;
      for (let t: i32 = 0; t < taps; t++) {
        const low = v128.load(from, 0), high = v128.load(from, 16);
        let w = v128.load32_splat(weight, 0);
        a0 = f32x4.add(a0, f32x4.mul(w, low));
        a1 = f32x4.add(a1, f32x4.mul(w, high));
        w = v128.load32_splat(weight, 4);
        b0 = f32x4.add(b0, f32x4.mul(w, low));
        b1 = f32x4.add(b1, f32x4.mul(w, high));
        w = v128.load32_splat(weight, 8);
        c0 = f32x4.add(c0, f32x4.mul(w, low));
        c1 = f32x4.add(c1, f32x4.mul(w, high));
        w = v128.load32_splat(weight, 12);
        d0 = f32x4.add(d0, f32x4.mul(w, low));
        d1 = f32x4.add(d1, f32x4.mul(w, high));
        weight += 16;
        from += line;
      }
      v128.store(out, a0, 0);
      v128.store(out, a1, 16);
      out += line;
      v128.store(out, b0, 0);
      v128.store(out, b1, 16);
      out += line;
      v128.store(out, c0, 0);
      v128.store(out, c1, 16);
      out += line;
      v128.store(out, d0, 0);
      v128.store(out, d1, 16);
      out += line;
    }
  }
}

// Σ |c| of one map: four sums, of positions 0, 4, 8 … and so on, added in order.
function absoluteSum(map: usize, stride: i32): f32 {
  let sums = f32x4.splat(0);
  for (let p: i32 = 0; p < stride; p += 4) {
    sums = f32x4.add(sums, f32x4.abs(v128.load(map)));
    map += 16;
  }
  return f32x4.extract_lane(sums, 0) + f32x4.extract_lane(sums, 1) + f32x4.extract_lane(sums, 2) +
    f32x4.extract_lane(sums, 3);
}

// Both signs of one map, pooled: down the columns of a window first, then across. `lines` is space for two rows.
function pool(
  map: usize, tall: i32, wide: i32, pooling: i32, threshold: f32, mean: f32, cap: f32, lines: usize, out: usize,
): void {
  const rowBytes: usize = <usize>wide * 4, lineBytes: usize = rowBytes + 16;
  const level = f32x4.splat(threshold), zero = f32x4.splat(0);
  const cells: i32 = pooling * pooling;
  for (let i: i32 = 0; i < pooling; i++) {
    const top: i32 = i * tall / pooling, bottom: i32 = ((i + 1) * tall + pooling - 1) / pooling;
    for (let at: usize = 0; at < rowBytes; at += 16) {
      let above = zero, below = zero;
      let from: usize = map + <usize>top * rowBytes + at;
      for (let y: i32 = top; y < bottom; y++) {
        const c = v128.load(from);
        above = f32x4.add(above, f32x4.max(f32x4.sub(c, level), zero));
        below = f32x4.add(below, f32x4.max(f32x4.sub(f32x4.neg(c), level), zero));
        from += rowBytes;
      }
      v128.store(lines + at, above);
      v128.store(lines + lineBytes + at, below);
    }
    for (let j: i32 = 0; j < pooling; j++) {
      const left: i32 = j * wide / pooling, right: i32 = ((j + 1) * wide + pooling - 1) / pooling;
      const share: f32 = mean * <f32>((bottom - top) * (right - left));
      let above: f32 = 0, below: f32 = 0;
      for (let x: i32 = left; x < right; x++) {
        const at: usize = lines + <usize>x * 4;
        above += load<f32>(at);
        below += load<f32>(at + lineBytes);
      }
      const cell: usize = out + <usize>(i * pooling + j) * 4;
      store<f32>(cell, min<f32>(above / share, cap));
      store<f32>(cell + <usize>cells * 4, min<f32>(below / share, cap));
    }
  }
}

/**
 * The features of `count` images: image → filter → sign → cell. `patches` has space for one image's taps × stride, `maps` for
 * 4·groups × stride, both with 16 bytes more, `lines` for two rows and 32 bytes more.
 */
export function convolveImages(
  images: usize, count: i32, channels: i32, height: i32, width: i32, filters: usize, number: i32, size: i32,
  thresholds: usize, pooling: i32, floor: f64, cap: f32, patches: usize, maps: usize, lines: usize, out: usize,
): void {
  const tall: i32 = height - size + 1, wide: i32 = width - size + 1, positions: i32 = tall * wide;
  const stride: i32 = (positions + 7) & ~7, taps: i32 = channels * size * size, groups: i32 = (number + 3) >> 2;
  const mapBytes: usize = <usize>stride * 4, imageBytes: usize = <usize>(channels * height * width) * 4;
  const filterBytes: usize = <usize>(2 * pooling * pooling) * 4;
  for (let n: i32 = 0; n < count; n++) {
    unroll(images, channels, height, width, size, patches, stride);
    multiply(filters, groups, taps, patches, stride, maps);
    let sum: f64 = 0;
    for (let f: i32 = 0; f < number; f++) sum += <f64>absoluteSum(maps + <usize>f * mapBytes, stride);
    const mean = <f32>(sum / (<f64>number * <f64>positions) + floor);
    for (let f: i32 = 0; f < number; f++) {
      const threshold: f32 = load<f32>(thresholds + <usize>f * 4) * mean;
      pool(maps + <usize>f * mapBytes, tall, wide, pooling, threshold, mean, cap, lines, out);
      out += filterBytes;
    }
    images += imageBytes;
  }
}
