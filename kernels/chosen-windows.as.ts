// Gradients by the weights of a convolution that a pool follows: of every pool window only one position has an effect, so the
// sum runs over the chosen positions. A window is a list of vectors of four numbers at fixed offsets from its first number;
// numbers of a vector that lie outside the window give sums that nobody reads.

/**
 * For each output o: target[o][vector] += Σ gradient·window over the chosen positions of all images, or with `squares` the square of
 * that sum for each image and seed. A row of `target` has the sums of the vectors (a multiple of 4 of them) and then that of the
 * gradient alone, in a last vector. `places` are the byte offsets of the positions in an image, preceded by one for "none";
 * `chosen` is as `rectify` wrote it. The gradients of two seeds are `seedBytes` apart. `list` has room for 4·(seeds + 1) bytes for
 * each pixel after the pool, and once more.
 */
export function addChosen(
  images: usize, count: i32, imagePitch: i32, places: usize, chosen: usize, pixels: i32, outputs: i32, gradient: usize,
  gradientPitch: i32, seedBytes: i32, seeds: i32, offsets: usize, vectors: i32, squares: i32, target: usize, list: usize,
): void {
  const wide: usize = <usize>((outputs + 3) & ~3) << 2;
  const row: usize = <usize>(vectors + 1) << 4;
  const entry: usize = <usize>(seeds + 1) << 2;
  for (let k: i32 = 0; k < count; k++) {
    let to: usize = target;
    for (let o: i32 = 0; o < outputs; o++) {
      const at: usize = <usize>o << 2;
      const end: usize = listChosen(
        images, places, chosen + at, wide, pixels, gradient + at, <usize>outputs << 2, seedBytes, seeds, list,
      );
      let s: i32 = 0;
      for (; squares && s + 3 <= seeds; s += 3) {
        for (let v: i32 = 0; v < vectors; v += 2) {
          threeSeeds(list, end, entry, <usize>(s + 1) << 2, offsets + (<usize>v << 2), to + (<usize>v << 4));
        }
      }
      for (; s < seeds; s++) oneSeed(list, end, entry, <usize>(s + 1) << 2, offsets, vectors, to, squares);
      const last: usize = to + (<usize>vectors << 4);
      for (s = 1; s <= seeds; s++) {
        let sum: f32 = 0;
        for (let e: usize = list; e < end; e += entry) sum += load<f32>(e + (<usize>s << 2));
        store<f32>(last, load<f32>(last) + (squares ? sum * sum : sum));
      }
      to += row;
    }
    images += <usize>imagePitch << 2;
    chosen += <usize>pixels * wide;
    gradient += <usize>gradientPitch << 2;
  }
}

/** Writes (address, gradient of each seed) of the chosen positions of one output; returns the end of the list. */
@inline
function listChosen(
  image: usize, places: usize, chosen: usize, wide: usize, pixels: i32, gradient: usize, pixel: usize, seedBytes: usize, seeds: i32,
  list: usize,
): usize {
  const entry: usize = <usize>(seeds + 1) << 2;
  for (let p: i32 = 0; p < pixels; p++) {
    const place: i32 = load<i32>(chosen);
    store<u32>(list, <u32>(image + load<u32>(places + (<usize>(place + 1) << 2))));
    let from: usize = gradient;
    for (let s: i32 = 0; s < seeds; s++) {
      store<f32>(list + (<usize>(s + 1) << 2), load<f32>(from));
      from += seedBytes;
    }
    list += select<usize>(entry, 0, place >= 0);
    chosen += wide;
    gradient += pixel;
  }
  return list;
}

@inline
function finish(target: usize, sum: v128, squares: i32): void {
  v128.store(target, f32x4.add(v128.load(target), squares ? f32x4.mul(sum, sum) : sum));
}

function oneSeed(
  list: usize, end: usize, entry: usize, seed: usize, offsets: usize, vectors: i32, target: usize, squares: i32,
): void {
  let v: i32 = 0;
  for (; v + 8 <= vectors; v += 8) {
    eightVectors(list, end, entry, seed, offsets + (<usize>v << 2), target + (<usize>v << 4), squares);
  }
  if (v < vectors) fourVectors(list, end, entry, seed, offsets + (<usize>v << 2), target + (<usize>v << 4), squares);
}

function eightVectors(
  list: usize, end: usize, entry: usize, seed: usize, offsets: usize, target: usize, squares: i32,
): void {
  const o0: usize = load<u32>(offsets, 0), o1: usize = load<u32>(offsets, 4), o2: usize = load<u32>(offsets, 8);
  const o3: usize = load<u32>(offsets, 12), o4: usize = load<u32>(offsets, 16), o5: usize = load<u32>(offsets, 20);
  const o6: usize = load<u32>(offsets, 24), o7: usize = load<u32>(offsets, 28);
  let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
  for (; list < end; list += entry) {
    const from: usize = load<u32>(list);
    const g = v128.load32_splat(list + seed);
    s0 = f32x4.add(s0, f32x4.mul(g, v128.load(from + o0)));
    s1 = f32x4.add(s1, f32x4.mul(g, v128.load(from + o1)));
    s2 = f32x4.add(s2, f32x4.mul(g, v128.load(from + o2)));
    s3 = f32x4.add(s3, f32x4.mul(g, v128.load(from + o3)));
    s4 = f32x4.add(s4, f32x4.mul(g, v128.load(from + o4)));
    s5 = f32x4.add(s5, f32x4.mul(g, v128.load(from + o5)));
    s6 = f32x4.add(s6, f32x4.mul(g, v128.load(from + o6)));
    s7 = f32x4.add(s7, f32x4.mul(g, v128.load(from + o7)));
  }
  finish(target, s0, squares);
  finish(target + 16, s1, squares);
  finish(target + 32, s2, squares);
  finish(target + 48, s3, squares);
  finish(target + 64, s4, squares);
  finish(target + 80, s5, squares);
  finish(target + 96, s6, squares);
  finish(target + 112, s7, squares);
}

function fourVectors(
  list: usize, end: usize, entry: usize, seed: usize, offsets: usize, target: usize, squares: i32,
): void {
  const o0: usize = load<u32>(offsets, 0), o1: usize = load<u32>(offsets, 4);
  const o2: usize = load<u32>(offsets, 8), o3: usize = load<u32>(offsets, 12);
  let s0 = f32x4.splat(0), s1 = s0, s2 = s0, s3 = s0;
  for (; list < end; list += entry) {
    const from: usize = load<u32>(list);
    const g = v128.load32_splat(list + seed);
    s0 = f32x4.add(s0, f32x4.mul(g, v128.load(from + o0)));
    s1 = f32x4.add(s1, f32x4.mul(g, v128.load(from + o1)));
    s2 = f32x4.add(s2, f32x4.mul(g, v128.load(from + o2)));
    s3 = f32x4.add(s3, f32x4.mul(g, v128.load(from + o3)));
  }
  finish(target, s0, squares);
  finish(target + 16, s1, squares);
  finish(target + 32, s2, squares);
  finish(target + 48, s3, squares);
}

/** Two vectors, three seeds. */
function threeSeeds(list: usize, end: usize, entry: usize, seed: usize, offsets: usize, target: usize): void {
  const o0: usize = load<u32>(offsets, 0), o1: usize = load<u32>(offsets, 4);
  let s00 = f32x4.splat(0), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00;
  for (; list < end; list += entry) {
    const from: usize = load<u32>(list);
    const u0 = v128.load(from + o0), u1 = v128.load(from + o1);
    const g0 = v128.load32_splat(list + seed, 0);
    s00 = f32x4.add(s00, f32x4.mul(g0, u0));
    s01 = f32x4.add(s01, f32x4.mul(g0, u1));
    const g1 = v128.load32_splat(list + seed, 4);
    s10 = f32x4.add(s10, f32x4.mul(g1, u0));
    s11 = f32x4.add(s11, f32x4.mul(g1, u1));
    const g2 = v128.load32_splat(list + seed, 8);
    s20 = f32x4.add(s20, f32x4.mul(g2, u0));
    s21 = f32x4.add(s21, f32x4.mul(g2, u1));
  }
  const low = f32x4.add(f32x4.add(f32x4.mul(s00, s00), f32x4.mul(s10, s10)), f32x4.mul(s20, s20));
  const high = f32x4.add(f32x4.add(f32x4.mul(s01, s01), f32x4.mul(s11, s11)), f32x4.mul(s21, s21));
  v128.store(target, f32x4.add(v128.load(target, 0), low), 0);
  v128.store(target, f32x4.add(v128.load(target, 16), high), 16);
}

/** target[k] = source[table[k]] where the table has a place, from 0. */
export function takePlaces(target: usize, source: usize, table: usize, count: i32): void {
  for (let k: i32 = 0; k < count; k++) {
    const place: i32 = load<i32>(table);
    if (place >= 0) store<f32>(target, load<f32>(source + (<usize>place << 2)));
    table += 4;
    target += 4;
  }
}

/** target[table[k]] = source[k] where the table has a place, from 0. */
export function putPlaces(target: usize, source: usize, table: usize, count: i32): void {
  for (let k: i32 = 0; k < count; k++) {
    const place: i32 = load<i32>(table);
    if (place >= 0) store<f32>(target + (<usize>place << 2), load<f32>(source));
    table += 4;
    source += 4;
  }
}

/**
 * The gradient by the images: for each chosen position the weights of its output, times the gradient, at the place of its window.
 * `weights` are laid out as the rows of `addChosen`, with zeros where a vector reaches beyond a row of the window; `vectors` are
 * those of such a row, which is `line` numbers from the next in an image.
 */
export function spreadChosen(
  gradient: usize, count: i32, gradientPitch: i32, chosen: usize, pixels: i32, outputs: i32, places: usize, weights: usize,
  weightPitch: i32, size: i32, vectors: i32, line: i32, images: usize, imagePitch: i32,
): void {
  const wide: usize = <usize>((outputs + 3) & ~3) << 2;
  const row: usize = <usize>vectors << 4, jump: usize = <usize>line << 2;
  for (let k: i32 = 0; k < count; k++) {
    memory.fill(images, 0, <usize>imagePitch << 2);
    for (let o: i32 = 0; o < outputs; o++) {
      const window: usize = weights + (<usize>(o * weightPitch) << 2);
      let from: usize = gradient + (<usize>o << 2), at: usize = chosen + (<usize>o << 2);
      for (let p: i32 = 0; p < pixels; p++) {
        const place: i32 = load<i32>(at);
        if (place >= 0) {
          addWindow(images + load<u32>(places + (<usize>(place + 1) << 2)), v128.load32_splat(from), window, size, row, jump);
        }
        at += wide;
        from += <usize>outputs << 2;
      }
    }
    images += <usize>imagePitch << 2;
    chosen += <usize>pixels * wide;
    gradient += <usize>gradientPitch << 2;
  }
}

@inline
function addWindow(to: usize, g: v128, window: usize, size: i32, row: usize, jump: usize): void {
  for (let y: i32 = 0; y < size; y++) {
    for (let v: usize = 0; v < row; v += 16) {
      v128.store(to + v, f32x4.add(v128.load(to + v), f32x4.mul(g, v128.load(window + v))));
    }
    window += row;
    to += jump;
  }
}
