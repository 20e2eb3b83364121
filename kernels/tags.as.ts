// Keyed tags of rows: SipHash-2-4 (Aumasson & Bernstein, INDOCRYPT 2012) of the float64 bits of a row's values.

// −0 as 0, every NaN as one.
@inline
function plain(x: v128): v128 {
  return v128.bitselect(f64x2.add(x, f64x2.splat(0)), i64x2.splat(0x7ff8000000000000), f64x2.eq(x, x));
}

// Makes the bits of equal values equal, in place; `column` has space for one row more. Returns how many values are NaN.
function alike(column: usize, rows: i32): i32 {
  store<f64>(column + (<usize>rows << 3), 0);
  let present = i64x2.splat(0);
  const end = column + (<usize>(rows + 1) << 3);
  for (let p = column; p + 8 < end; p += 16) {
    const x = v128.load(p);
    present = i64x2.sub(present, f64x2.eq(x, x));
    v128.store(p, plain(x));
  }
  const seen = (rows + 1) & ~1;
  return seen - <i32>(i64x2.extract_lane(present, 0) + i64x2.extract_lane(present, 1));
}

/**
 * One u64 a row at `out`; `columns` are `width` pointers to columns of float64, which are changed, `key` is two u64. Two rows
 * at a time, because their rounds do not wait for each other; so columns and `out` need space for one row more. Returns how
 * many values are NaN.
 */
export function tagRows(columns: usize, width: i32, rows: i32, key: usize, out: usize): i32 {
  let missing: i32 = 0;
  for (let c: i32 = 0; c < width; c++) missing += alike(load<usize>(columns + (<usize>c << 2)), rows);
  for (let r: i32 = 0; r < rows; r += 2) tagTwo(columns, width, <usize>r << 3, key, out + (<usize>r << 3));
  return missing;
}

function tagTwo(columns: usize, width: i32, at: usize, key: usize, out: usize): void {
  const k0 = load<u64>(key), k1 = load<u64>(key, 8);
  let a0 = k0 ^ 0x736f6d6570736575, a1 = k1 ^ 0x646f72616e646f6d;
  let a2 = k0 ^ 0x6c7967656e657261, a3 = k1 ^ 0x7465646279746573;
  let b0 = a0, b1 = a1, b2 = a2, b3 = a3;
  // The block after the values has the length; two more blocks of zeros are the four final rounds.
  for (let block: i32 = 0; block < width + 3; block++) {
    let m: u64 = 0, n: u64 = 0;
    if (block < width) {
      const column = load<usize>(columns + (<usize>block << 2)) + at;
      m = load<u64>(column);
      n = load<u64>(column, 8);
    } else if (block == width) {
      m = <u64>width << 59;
      n = m;
    } else if (block == width + 1) {
      a2 ^= 0xff;
      b2 ^= 0xff;
    }
    a3 ^= m;
    b3 ^= n;
    // Two rounds, written out for speed.
    a0 += a1; b0 += b1;
    a2 += a3; b2 += b3;
    a1 = rotl<u64>(a1, 13) ^ a0; b1 = rotl<u64>(b1, 13) ^ b0;
    a3 = rotl<u64>(a3, 16) ^ a2; b3 = rotl<u64>(b3, 16) ^ b2;
    a0 = rotl<u64>(a0, 32); b0 = rotl<u64>(b0, 32);
    a2 += a1; b2 += b1;
    a0 += a3; b0 += b3;
    a1 = rotl<u64>(a1, 17) ^ a2; b1 = rotl<u64>(b1, 17) ^ b2;
    a3 = rotl<u64>(a3, 21) ^ a0; b3 = rotl<u64>(b3, 21) ^ b0;
    a2 = rotl<u64>(a2, 32); b2 = rotl<u64>(b2, 32);
    a0 += a1; b0 += b1;
    a2 += a3; b2 += b3;
    a1 = rotl<u64>(a1, 13) ^ a0; b1 = rotl<u64>(b1, 13) ^ b0;
    a3 = rotl<u64>(a3, 16) ^ a2; b3 = rotl<u64>(b3, 16) ^ b2;
    a0 = rotl<u64>(a0, 32); b0 = rotl<u64>(b0, 32);
    a2 += a1; b2 += b1;
    a0 += a3; b0 += b3;
    a1 = rotl<u64>(a1, 17) ^ a2; b1 = rotl<u64>(b1, 17) ^ b2;
    a3 = rotl<u64>(a3, 21) ^ a0; b3 = rotl<u64>(b3, 21) ^ b0;
    a2 = rotl<u64>(a2, 32); b2 = rotl<u64>(b2, 32);
    a0 ^= m;
    b0 ^= n;
  }
  store<u64>(out, a0 ^ a1 ^ a2 ^ a3);
  store<u64>(out, b0 ^ b1 ^ b2 ^ b3, 8);
}

/** Sorts n u64 by their bytes, the lowest first; `spare` holds as many, `counts` 256 u32. */
export function sortTags(tags: usize, spare: usize, n: i32, counts: usize): void {
  let from = tags, to = spare;
  for (let shift: u64 = 0; shift < 64; shift += 8) {
    memory.fill(counts, 0, 1024);
    const end = from + (<usize>n << 3);
    for (let p = from; p < end; p += 8) {
      const count = counts + (<usize>((load<u64>(p) >> shift) & 255) << 2);
      store<u32>(count, load<u32>(count) + 1);
    }
    let at: u32 = 0;
    for (let count = counts; count < counts + 1024; count += 4) {
      const size = load<u32>(count);
      store<u32>(count, at);
      at += size;
    }
    for (let p = from; p < end; p += 8) {
      const tag = load<u64>(p);
      const count = counts + (<usize>((tag >> shift) & 255) << 2);
      const place = load<u32>(count);
      store<u64>(to + (<usize>place << 3), tag);
      store<u32>(count, place + 1);
    }
    const other = from;
    from = to;
    to = other;
  }
}
