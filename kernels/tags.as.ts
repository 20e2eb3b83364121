// Keyed tags of rows: SipHash-2-4 (Aumasson & Bernstein, INDOCRYPT 2012) of the float64 bits of a row's values.

// −0 as 0, every NaN as one.
@inline
function plain(x: v128): v128 {
  return v128.bitselect(f64x2.add(x, f64x2.splat(0)), i64x2.splat(0x7ff8000000000000), f64x2.eq(x, x));
}

@inline
function turned(x: v128, left: i32): v128 {
  return v128.or(i64x2.shl(x, left), i64x2.shr_u(x, 64 - left));
}

@inline
function turned16(x: v128): v128 {
  return i8x16.shuffle(x, x, 6, 7, 0, 1, 2, 3, 4, 5, 14, 15, 8, 9, 10, 11, 12, 13);
}

@inline
function turned32(x: v128): v128 {
  return i32x4.shuffle(x, x, 1, 0, 3, 2);
}

/**
 * One u64 a row at `out`; `columns` are `width` pointers to columns of float64, `key` is two u64. Six rows at a time, so up to
 * five rows more are read of each column and written at `out`. Returns how many values are NaN.
 */
export function tagRows(columns: usize, width: i32, rows: i32, key: usize, out: usize): i32 {
  let present: i32 = 0;
  for (let r: i32 = 0; r < rows; r += 6) {
    present += tagSix(columns, width, <usize>r << 3, key, out + (<usize>r << 3), rows - r);
  }
  return width * rows - present;
}

// Rows a and b in plain words, two rows each in the vectors c and d: a processor has units for both, and no row waits for
// another. Returns how many values of the first `rows` of the six are not NaN.
function tagSix(columns: usize, width: i32, at: usize, key: usize, out: usize, rows: i32): i32 {
  const k0 = load<u64>(key), k1 = load<u64>(key, 8);
  let a0 = k0 ^ 0x736f6d6570736575, a1 = k1 ^ 0x646f72616e646f6d;
  let a2 = k0 ^ 0x6c7967656e657261, a3 = k1 ^ 0x7465646279746573;
  let b0 = a0, b1 = a1, b2 = a2, b3 = a3;
  let c0 = i64x2.splat(a0), c1 = i64x2.splat(a1), c2 = i64x2.splat(a2), c3 = i64x2.splat(a3);
  let d0 = c0, d1 = c1, d2 = c2, d3 = c3;
  let present0 = i64x2.splat(0), present2 = present0, present4 = present0;
  // The block after the values has the length; two more blocks of zeros are the four final rounds.
  for (let block: i32 = 0; block < width + 3; block++) {
    let m: u64 = 0, n: u64 = 0, o = i64x2.splat(0), p = o;
    if (block < width) {
      const column = load<usize>(columns + (<usize>block << 2)) + at;
      const x = v128.load(column), y = v128.load(column, 16), z = v128.load(column, 32);
      present0 = i64x2.sub(present0, f64x2.eq(x, x));
      present2 = i64x2.sub(present2, f64x2.eq(y, y));
      present4 = i64x2.sub(present4, f64x2.eq(z, z));
      const first = plain(x);
      m = i64x2.extract_lane(first, 0);
      n = i64x2.extract_lane(first, 1);
      o = plain(y);
      p = plain(z);
    } else if (block == width) {
      m = <u64>width << 59;
      n = m;
      o = i64x2.splat(m);
      p = o;
    } else if (block == width + 1) {
      a2 ^= 0xff;
      b2 ^= 0xff;
      c2 = v128.xor(c2, i64x2.splat(0xff));
      d2 = v128.xor(d2, i64x2.splat(0xff));
    }
    a3 ^= m; b3 ^= n; c3 = v128.xor(c3, o); d3 = v128.xor(d3, p);
    // Two rounds, written out for speed.
    a0 += a1; b0 += b1; c0 = i64x2.add(c0, c1); d0 = i64x2.add(d0, d1);
    a2 += a3; b2 += b3; c2 = i64x2.add(c2, c3); d2 = i64x2.add(d2, d3);
    a1 = rotl<u64>(a1, 13) ^ a0; b1 = rotl<u64>(b1, 13) ^ b0; c1 = v128.xor(turned(c1, 13), c0); d1 = v128.xor(turned(d1, 13), d0);
    a3 = rotl<u64>(a3, 16) ^ a2; b3 = rotl<u64>(b3, 16) ^ b2; c3 = v128.xor(turned16(c3), c2); d3 = v128.xor(turned16(d3), d2);
    a0 = rotl<u64>(a0, 32); b0 = rotl<u64>(b0, 32); c0 = turned32(c0); d0 = turned32(d0);
    a2 += a1; b2 += b1; c2 = i64x2.add(c2, c1); d2 = i64x2.add(d2, d1);
    a0 += a3; b0 += b3; c0 = i64x2.add(c0, c3); d0 = i64x2.add(d0, d3);
    a1 = rotl<u64>(a1, 17) ^ a2; b1 = rotl<u64>(b1, 17) ^ b2; c1 = v128.xor(turned(c1, 17), c2); d1 = v128.xor(turned(d1, 17), d2);
    a3 = rotl<u64>(a3, 21) ^ a0; b3 = rotl<u64>(b3, 21) ^ b0; c3 = v128.xor(turned(c3, 21), c0); d3 = v128.xor(turned(d3, 21), d0);
    a2 = rotl<u64>(a2, 32); b2 = rotl<u64>(b2, 32); c2 = turned32(c2); d2 = turned32(d2);
    a0 += a1; b0 += b1; c0 = i64x2.add(c0, c1); d0 = i64x2.add(d0, d1);
    a2 += a3; b2 += b3; c2 = i64x2.add(c2, c3); d2 = i64x2.add(d2, d3);
    a1 = rotl<u64>(a1, 13) ^ a0; b1 = rotl<u64>(b1, 13) ^ b0; c1 = v128.xor(turned(c1, 13), c0); d1 = v128.xor(turned(d1, 13), d0);
    a3 = rotl<u64>(a3, 16) ^ a2; b3 = rotl<u64>(b3, 16) ^ b2; c3 = v128.xor(turned16(c3), c2); d3 = v128.xor(turned16(d3), d2);
    a0 = rotl<u64>(a0, 32); b0 = rotl<u64>(b0, 32); c0 = turned32(c0); d0 = turned32(d0);
    a2 += a1; b2 += b1; c2 = i64x2.add(c2, c1); d2 = i64x2.add(d2, d1);
    a0 += a3; b0 += b3; c0 = i64x2.add(c0, c3); d0 = i64x2.add(d0, d3);
    a1 = rotl<u64>(a1, 17) ^ a2; b1 = rotl<u64>(b1, 17) ^ b2; c1 = v128.xor(turned(c1, 17), c2); d1 = v128.xor(turned(d1, 17), d2);
    a3 = rotl<u64>(a3, 21) ^ a0; b3 = rotl<u64>(b3, 21) ^ b0; c3 = v128.xor(turned(c3, 21), c0); d3 = v128.xor(turned(d3, 21), d0);
    a2 = rotl<u64>(a2, 32); b2 = rotl<u64>(b2, 32); c2 = turned32(c2); d2 = turned32(d2);
    a0 ^= m; b0 ^= n; c0 = v128.xor(c0, o); d0 = v128.xor(d0, p);
  }
  store<u64>(out, a0 ^ a1 ^ a2 ^ a3);
  store<u64>(out, b0 ^ b1 ^ b2 ^ b3, 8);
  v128.store(out, v128.xor(v128.xor(c0, c1), v128.xor(c2, c3)), 16);
  v128.store(out, v128.xor(v128.xor(d0, d1), v128.xor(d2, d3)), 32);
  return seen(present0, rows) + seen(present2, rows - 2) + seen(present4, rows - 4);
}

// The numbers of the first rows of two.
@inline
function seen(present: v128, rows: i32): i32 {
  let sum: i64 = 0;
  if (rows > 0) sum = i64x2.extract_lane(present, 0);
  if (rows > 1) sum += i64x2.extract_lane(present, 1);
  return <i32>sum;
}

/**
 * Sorts n tags of the same first byte: by their second and third, and by insertion, since few tags agree in more. `spare`
 * holds as many, `counts` 512 u32.
 */
export function sortTags(tags: usize, spare: usize, n: i32, counts: usize): void {
  const end = tags + (<usize>n << 3);
  const seconds = counts + 1024;
  memory.fill(counts, 0, 2048);
  for (let p = tags; p < end; p += 8) {
    const tag = load<u64>(p);
    const third = placeOf(counts, tag, 40), second = placeOf(seconds, tag, 48);
    store<u32>(third, load<u32>(third) + 1);
    store<u32>(second, load<u32>(second) + 1);
  }
  startAt(counts, spare);
  startAt(seconds, tags);
  spread(tags, end, counts, 40);
  spread(spare, spare + (<usize>n << 3), seconds, 48);
  for (let p = tags + 8; p < end; p += 8) {
    const tag = load<u64>(p);
    let q = p;
    for (; q > tags && load<u64>(q - 8) > tag; q -= 8) store<u64>(q, load<u64>(q - 8));
    if (q < p) store<u64>(q, tag);
  }
}

@inline
function placeOf(counts: usize, tag: u64, shift: u64): usize {
  return counts + (<usize>((tag >> shift) & 255) << 2);
}

// Turns the numbers of tags with each byte into the places of the first of them, from `to` on.
function startAt(counts: usize, to: usize): void {
  for (let count = counts; count < counts + 1024; count += 4) {
    const size = load<u32>(count);
    store<u32>(count, <u32>to);
    to += <usize>size << 3;
  }
}

// Moves the tags to the places of their bytes, in order.
@inline
function spread(from: usize, end: usize, places: usize, shift: u64): void {
  for (let p = from; p < end; p += 8) {
    const tag = load<u64>(p);
    const place = placeOf(places, tag, shift);
    const to = load<u32>(place);
    store<u64>(to, tag);
    store<u32>(place, to + 8);
  }
}
