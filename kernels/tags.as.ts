// Keyed tags of rows: SipHash-2-4 (Aumasson & Bernstein, INDOCRYPT 2012) of the float64 bits of a row's values.

// −0 as 0, every NaN as one.
@inline
function bitsOf(value: f64): u64 {
  return value == value ? reinterpret<u64>(value + 0) : 0x7ff8000000000000;
}

/**
 * One u64 a row at `out`; `columns` are `width` pointers to columns of float64, `key` is two u64. Two rows at a time, because
 * their rounds do not wait for each other; so columns and `out` need space for one row more. Returns how many values are NaN.
 */
export function tagRows(columns: usize, width: i32, rows: i32, key: usize, out: usize): i32 {
  let missing: i32 = 0;
  for (let r: i32 = 0; r < rows; r += 2) {
    missing += tagTwo(columns, width, <usize>r << 3, key, out + (<usize>r << 3), r + 1 < rows);
  }
  return missing;
}

function tagTwo(columns: usize, width: i32, at: usize, key: usize, out: usize, both: bool): i32 {
  const k0 = load<u64>(key), k1 = load<u64>(key, 8);
  let a0 = k0 ^ 0x736f6d6570736575, a1 = k1 ^ 0x646f72616e646f6d;
  let a2 = k0 ^ 0x6c7967656e657261, a3 = k1 ^ 0x7465646279746573;
  let b0 = a0, b1 = a1, b2 = a2, b3 = a3;
  let missing: i32 = 0;
  // The block after the values has the length; two more blocks of zeros are the four final rounds.
  for (let block: i32 = 0; block < width + 3; block++) {
    let m: u64 = 0, n: u64 = 0;
    if (block < width) {
      const column = load<usize>(columns + (<usize>block << 2)) + at;
      const x = load<f64>(column), y = load<f64>(column, 8);
      m = bitsOf(x);
      n = bitsOf(y);
      missing += i32(x != x) + i32(both && y != y);
    } else if (block == width) {
      m = <u64>width << 59;
      n = m;
    } else if (block == width + 1) {
      a2 ^= 0xff;
      b2 ^= 0xff;
    }
    a3 ^= m;
    b3 ^= n;
    for (let round: i32 = 0; round < 2; round++) {
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
    }
    a0 ^= m;
    b0 ^= n;
  }
  store<u64>(out, a0 ^ a1 ^ a2 ^ a3);
  store<u64>(out, b0 ^ b1 ^ b2 ^ b3, 8);
  return missing;
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
