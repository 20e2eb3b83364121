// Windows of images in float32, images as [row][column][channel]. Vectors may read up to seven numbers after the end of a buffer
// and, where a later number of the same buffer is written after them, write there; buffers end with room for that.

/** Images as [channel][row][column] to [row][column][channel], each followed by a 1 (if `bias`) and zeros up to `pitch`. */
export function arrange(source: usize, images: i32, pixels: i32, channels: i32, target: usize, pitch: i32, bias: i32): void {
  for (let k: i32 = 0; k < images; k++) {
    if (channels == 1) memory.copy(target, source, <usize>pixels << 2);
    else if (pixels == 1) memory.copy(target, source, <usize>channels << 2);
    else {
      for (let c: i32 = 0; c < channels; c++) {
        let to: usize = target + (<usize>c << 2);
        for (let p: i32 = 0; p < pixels; p++) {
          store<f32>(to, load<f32>(source + (<usize>(c * pixels + p) << 2)));
          to += <usize>channels << 2;
        }
      }
    }
    end(target, pixels * channels, pitch, bias);
    source += <usize>(pixels * channels) << 2;
    target += <usize>pitch << 2;
  }
}

@inline
function end(row: usize, length: i32, pitch: i32, bias: i32): void {
  for (let k: i32 = length; k < pitch; k++) store<f32>(row + (<usize>k << 2), 0);
  if (bias) store<f32>(row + (<usize>length << 2), 1);
}

/** Copies images into larger ones, with `padding` pixels around them that stay as they are. */
export function frame(
  images: usize, count: i32, imagePitch: i32, height: i32, width: i32, channels: i32, padding: i32, target: usize,
): void {
  const line: usize = <usize>(width * channels) << 2;
  const wide: usize = <usize>((width + 2 * padding) * channels) << 2;
  for (let k: i32 = 0; k < count; k++) {
    let from: usize = images;
    let to: usize = target + <usize>padding * wide + (<usize>(padding * channels) << 2);
    for (let y: i32 = 0; y < height; y++) {
      memory.copy(to, from, line);
      from += line;
      to += wide;
    }
    images += <usize>imagePitch << 2;
    target += <usize>(height + 2 * padding) * wide;
  }
}

/**
 * The window of every output pixel as a row of `pitch` numbers: window row, window column, channel, then a 1 (if `bias`) and
 * zeros.
 */
export function patches(
  images: usize, count: i32, imagePitch: i32, height: i32, width: i32, channels: i32, size: i32, target: usize, pitch: i32,
  bias: i32,
): void {
  const run: usize = <usize>(size * channels) << 2;
  const line: usize = <usize>(width * channels) << 2;
  const length: i32 = size * size * channels;
  for (let k: i32 = 0; k < count; k++) {
    for (let y: i32 = 0; y <= height - size; y++) {
      for (let x: i32 = 0; x <= width - size; x++) {
        copyWindow(images + <usize>y * line + (<usize>(x * channels) << 2), line, size, run, target);
        end(target, length, pitch, bias);
        target += <usize>pitch << 2;
      }
    }
    images += <usize>imagePitch << 2;
  }
}

@inline
function copyWindow(from: usize, line: usize, size: i32, run: usize, to: usize): void {
  if (run <= 32) {
    for (let y: i32 = 0; y < size; y++) {
      v128.store(to, v128.load(from, 0), 0);
      v128.store(to, v128.load(from, 16), 16);
      from += line;
      to += run;
    }
    return;
  }
  for (let y: i32 = 0; y < size; y++) {
    for (let q: usize = 0; q < run; q += 16) v128.store(to + q, v128.load(from + q));
    from += line;
    to += run;
  }
}

/** The reverse, for images with `padding` pixels around them: every pixel becomes the sum over the windows that hold it. */
export function sumPatches(
  source: usize, count: i32, pitch: i32, height: i32, width: i32, channels: i32, size: i32, padding: i32, images: usize,
  imagePitch: i32,
): void {
  const run: usize = <usize>(size * channels) << 2;
  const line: usize = <usize>(width * channels) << 2;
  const lastTop: i32 = height + padding - size, lastLeft: i32 = width + padding - size;
  memory.fill(images, 0, <usize>(count * imagePitch) << 2);
  for (let k: i32 = 0; k < count; k++) {
    for (let top: i32 = -padding; top <= lastTop; top++) {
      for (let left: i32 = -padding; left <= lastLeft; left++) {
        const first: i32 = max(left, 0);
        const length: i32 = (min(left + size, width) - first) * channels;
        const skipped: usize = <usize>((first - left) * channels) << 2;
        for (let y: i32 = max(top, 0); y < min(top + size, height); y++) {
          addRun(images + <usize>y * line + (<usize>(first * channels) << 2), source + <usize>(y - top) * run + skipped, length);
        }
        source += <usize>pitch << 2;
      }
    }
    images += <usize>imagePitch << 2;
  }
}

@inline
function addRun(target: usize, source: usize, length: i32): void {
  let left: i32 = length;
  for (; left >= 4; left -= 4) {
    v128.store(target, f32x4.add(v128.load(target), v128.load(source)));
    target += 16;
    source += 16;
  }
  for (; left > 0; left--) {
    store<f32>(target, load<f32>(target) + load<f32>(source));
    target += 4;
    source += 4;
  }
}

/**
 * The largest value of every `size` × `size` window of each channel, and 0 instead of a negative one (if `relu`). A pixel of the
 * input has `pitch` numbers, one of the output as many as channels; each output image ends with a 1 (if `bias`) and zeros up to
 * `outPitch`. `chosen` gets the input pixel of each value, or −1 where none has an effect: 4-byte whole numbers, for each
 * pixel as many as channels, up to a multiple of 4.
 */
export function rectify(
  input: usize, count: i32, imagePitch: i32, pitch: i32, height: i32, width: i32, channels: i32, size: i32, relu: i32,
  output: usize, outPitch: i32, bias: i32, chosen: usize,
): void {
  const outHeight: i32 = height / size, outWidth: i32 = width / size;
  const bytes: usize = <usize>pitch << 2;
  const none = i32x4.splat(-1), zero = f32x4.splat(0), lanes = i32x4(0, 1, 2, 3);
  for (let k: i32 = 0; k < count; k++) {
    let to: usize = output;
    for (let y: i32 = 0; y < outHeight; y++) {
      for (let x: i32 = 0; x < outWidth; x++) {
        const corner: i32 = y * size * width + x * size;
        for (let c: i32 = 0; c < channels; c += 4) {
          const at: usize = input + (<usize>c << 2);
          let best = v128.load(at + <usize>corner * bytes);
          let place = i32x4.splat(corner);
          for (let i: i32 = 0; i < size; i++) {
            const row: i32 = corner + i * width;
            for (let j: i32 = i == 0 ? 1 : 0; j < size; j++) {
              const value = v128.load(at + <usize>(row + j) * bytes);
              const larger = f32x4.gt(value, best);
              best = v128.bitselect(value, best, larger);
              place = v128.bitselect(i32x4.splat(row + j), place, larger);
            }
          }
          if (relu) {
            place = v128.bitselect(place, none, f32x4.gt(best, zero));
            best = f32x4.pmax(best, zero);
          }
          if (c + 4 > channels) place = v128.or(place, i32x4.ge_s(lanes, i32x4.splat(channels - c)));
          v128.store(to + (<usize>c << 2), best);
          v128.store(chosen, place);
          chosen += 16;
        }
        to += <usize>channels << 2;
      }
    }
    end(output, outHeight * outWidth * channels, outPitch, bias);
    input += <usize>imagePitch << 2;
    output += <usize>outPitch << 2;
  }
}

/** The gradient by the input of `rectify` from that by its output: `target` has `pitch` (a multiple of 4) numbers a pixel. */
export function spread(
  gradient: usize, count: i32, gradientPitch: i32, chosen: usize, height: i32, width: i32, channels: i32, size: i32,
  target: usize, pitch: i32,
): void {
  const outHeight: i32 = height / size, outWidth: i32 = width / size;
  const bytes: usize = <usize>pitch << 2;
  if (outHeight * size < height || outWidth * size < width) {
    memory.fill(target, 0, <usize>(count * height * width) * bytes);
  }
  for (let k: i32 = 0; k < count; k++) {
    let from: usize = gradient;
    for (let y: i32 = 0; y < outHeight; y++) {
      for (let x: i32 = 0; x < outWidth; x++) {
        const corner: i32 = y * size * width + x * size;
        for (let c: i32 = 0; c < channels; c += 4) {
          const value = v128.load(from + (<usize>c << 2)), place = v128.load(chosen);
          chosen += 16;
          const at: usize = target + (<usize>c << 2);
          for (let i: i32 = 0; i < size; i++) {
            const row: i32 = corner + i * width;
            for (let j: i32 = 0; j < size; j++) {
              v128.store(at + <usize>(row + j) * bytes, v128.and(value, i32x4.eq(place, i32x4.splat(row + j))));
            }
          }
        }
        from += <usize>channels << 2;
      }
    }
    gradient += <usize>gradientPitch << 2;
    target += <usize>(height * width) * bytes;
  }
}
