// A hash table of known texts (levels, missing markers, texts of a survey), each with a value and a count.

// Entry: hash u32 (0 = free), text pointer u32, length u32, –, value f64, count f64.
const ENTRY_SHIFT: usize = 5;

function hashText(from: usize, length: i32): u32 {
  let h: u64 = <u64>length * 0x9e3779b97f4a7c15;
  while (length >= 8) {
    h = (h ^ load<u64>(from)) * 0x9e3779b97f4a7c15;
    h ^= h >> 29;
    from += 8;
    length -= 8;
  }
  if (length > 0) {
    h = (h ^ (load<u64>(from) & ((<u64>1 << (<u64>length << 3)) - 1))) * 0x9e3779b97f4a7c15;
  }
  return <u32>(h >> 32) | 1;
}

function sameText(a: usize, b: usize, length: i32): bool {
  while (length >= 8) {
    if (load<u64>(a) != load<u64>(b)) return false;
    a += 8;
    b += 8;
    length -= 8;
  }
  return ((load<u64>(a) ^ load<u64>(b)) & ((<u64>1 << (<u64>length << 3)) - 1)) == 0;
}

/** The entry of a text in a table of mask + 1 slots, or 0. Reads up to 8 bytes past the text. */
export function findSpelling(table: usize, mask: u32, from: usize, length: i32): usize {
  const hash = hashText(from, length);
  let slot = hash & mask;
  let entry = table + (<usize>slot << ENTRY_SHIFT);
  let held = load<u32>(entry);
  while (held != 0) {
    if (held == hash && load<i32>(entry, 8) == length && sameText(load<usize>(entry, 4), from, length)) {
      return entry;
    }
    slot = (slot + 1) & mask;
    entry = table + (<usize>slot << ENTRY_SHIFT);
    held = load<u32>(entry);
  }
  return 0;
}

/** Adds a text that is not in the table yet, without copying it. Returns its entry. */
export function addSpelling(table: usize, mask: u32, from: usize, length: i32, value: f64, count: f64): usize {
  const hash = hashText(from, length);
  let slot = hash & mask;
  let entry = table + (<usize>slot << ENTRY_SHIFT);
  while (load<u32>(entry) != 0) {
    slot = (slot + 1) & mask;
    entry = table + (<usize>slot << ENTRY_SHIFT);
  }
  store<u32>(entry, hash);
  store<usize>(entry, from, 4);
  store<i32>(entry, length, 8);
  store<f64>(entry, value, 16);
  store<f64>(entry, count, 24);
  return entry;
}

@inline
export function spellingValue(entry: usize): f64 {
  return load<f64>(entry, 16);
}

@inline
export function countSpelling(entry: usize): void {
  store<f64>(entry, load<f64>(entry, 24) + 1, 24);
}
