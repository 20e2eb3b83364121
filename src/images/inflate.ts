/**
 * The bytes in a zlib stream (RFC 1950, RFC 1951), of which `length` are expected; undefined where the stream is damaged, ends
 * early, or holds another number of bytes. Synchronous, since a folder has thousands of small files, and a stream for each
 * would take longer than the reading.
 */
export function inflate(stream: Uint8Array, length: number): Uint8Array | undefined {
  if (stream.length < 6 || (stream[0] & 15) !== 8 || ((stream[0] << 8) | stream[1]) % 31 !== 0) {
    return undefined;
  }
  if ((stream[1] & 32) !== 0) return undefined; // a preset dictionary
  const out = new Uint8Array(length);
  const end = inflateBlocks(stream, out);
  if (end === undefined || end + 4 > stream.length) return undefined;
  const [a, b, c, d] = stream.subarray(end, end + 4);
  return adler32(out) === ((a << 24) | (b << 16) | (c << 8) | d) >>> 0 ? out : undefined;
}

const STORED = 0;
const FIXED = 1;
const DYNAMIC = 2;
const END_OF_BLOCK = 256;
const MOST_BITS = 15;

/** Fills `out`; returns where the blocks end, undefined where they are damaged. */
function inflateBlocks(stream: Uint8Array, out: Uint8Array): number | undefined {
  let at = 2;
  let held = 0;
  let count = 0;
  let filled = 0;

  const bits = (wanted: number): number => {
    while (count < wanted) {
      if (at >= stream.length) return -1;
      held |= stream[at++] << count;
      count += 8;
    }
    const value = held & ((1 << wanted) - 1);
    held >>>= wanted;
    count -= wanted;
    return value;
  };

  const symbol = ({ counts, symbols }: Code): number => {
    let code = 0;
    let first = 0;
    let index = 0;
    for (let size = 1; size <= MOST_BITS; size++) {
      if (count === 0) {
        if (at >= stream.length) return -1;
        held = stream[at++];
        count = 8;
      }
      code |= held & 1;
      held >>>= 1;
      count--;
      const these = counts[size];
      if (code - these < first) return symbols[index + code - first];
      index += these;
      first = (first + these) << 1;
      code <<= 1;
    }
    return -1;
  };

  const stored = (): boolean => {
    held = 0;
    count = 0;
    if (at + 4 > stream.length) return false;
    const size = stream[at] | (stream[at + 1] << 8);
    const check = stream[at + 2] | (stream[at + 3] << 8);
    at += 4;
    if ((size ^ check) !== 0xffff || at + size > stream.length) return false;
    if (filled + size > out.length) return false;
    out.set(stream.subarray(at, at + size), filled);
    at += size;
    filled += size;
    return true;
  };

  const coded = (literals: Code, distances: Code): boolean => {
    for (;;) {
      const one = symbol(literals);
      if (one < 0 || one > 285) return false;
      if (one === END_OF_BLOCK) return true;
      if (one < END_OF_BLOCK) {
        if (filled === out.length) return false;
        out[filled++] = one;
        continue;
      }
      const more = bits(lengthBits[one - 257]);
      const place = symbol(distances);
      if (more < 0 || place < 0 || place > 29) return false;
      const further = bits(distanceBits[place]);
      const size = lengthStarts[one - 257] + more;
      const back = distanceStarts[place] + further;
      if (further < 0 || back > filled || filled + size > out.length) return false;
      for (let k = 0; k < size; k++, filled++) out[filled] = out[filled - back];
    }
  };

  const described = (): boolean => {
    const literals = bits(5) + 257;
    const distances = bits(5) + 1;
    const given = bits(4) + 4;
    const sizes = new Uint8Array(19);
    for (let k = 0; k < given; k++) {
      const size = bits(3);
      if (size < 0) return false;
      sizes[sizeOrder[k]] = size;
    }
    const code = codeOf(sizes);
    if (code === undefined) return false;
    const all = new Uint8Array(literals + distances);
    for (let k = 0; k < all.length; ) {
      const one = symbol(code);
      if (one < 0) return false;
      if (one < 16) {
        all[k++] = one;
        continue;
      }
      if (one === 16 && k === 0) return false;
      const [extra, least] = repeats[one - 16];
      const more = bits(extra);
      if (more < 0 || k + least + more > all.length) return false;
      all.fill(one === 16 ? all[k - 1] : 0, k, k + least + more);
      k += least + more;
    }
    const first = codeOf(all.subarray(0, literals));
    const second = codeOf(all.subarray(literals));
    return first !== undefined && second !== undefined && coded(first, second);
  };

  for (let last = 0; last === 0; ) {
    last = bits(1);
    const kind = bits(2);
    const isRead =
      (kind === STORED && stored()) ||
      (kind === FIXED && coded(fixedLiterals, fixedDistances)) ||
      (kind === DYNAMIC && described());
    if (last < 0 || !isRead) return undefined;
  }
  return filled === out.length ? at - Math.floor(count / 8) : undefined;
}

/** A canonical Huffman code: how many codes have each number of bits, and their symbols in order. */
interface Code {
  readonly counts: Uint16Array;
  readonly symbols: Uint16Array;
}

/** Undefined where more codes are asked for than there are. */
function codeOf(sizes: Uint8Array): Code | undefined {
  const counts = new Uint16Array(MOST_BITS + 1);
  for (const size of sizes) counts[size]++;
  counts[0] = 0;
  let left = 1;
  const starts = new Uint16Array(MOST_BITS + 2);
  for (let size = 1; size <= MOST_BITS; size++) {
    left = (left << 1) - counts[size];
    if (left < 0) return undefined;
    starts[size + 1] = starts[size] + counts[size];
  }
  const symbols = new Uint16Array(sizes.length);
  sizes.forEach((size, one) => {
    if (size !== 0) symbols[starts[size]++] = one;
  });
  return { counts, symbols };
}

/** The order in which the sizes of the code of sizes are written, and its repeats: extra bits and the least number. */
const sizeOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const repeats = [
  [2, 3],
  [3, 3],
  [7, 11],
] as const;

const lengthBits = [
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
];
const lengthStarts = [...startsOf(3, lengthBits.slice(0, -1)), 258];
const distanceBits = Array.from({ length: 30 }, (_, k) => Math.max(0, (k >> 1) - 1));
const distanceStarts = startsOf(1, distanceBits);

function startsOf(first: number, extra: readonly number[]): number[] {
  let next = first;
  return extra.map((bits) => {
    const start = next;
    next += 1 << bits;
    return start;
  });
}

const fixedLiterals = codeOf(
  Uint8Array.from({ length: 288 }, (_, k) => (k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8)),
)!;
const fixedDistances = codeOf(new Uint8Array(30).fill(5))!;

const ADLER_MODULUS = 65_521;
/** Bytes after which the sums must be reduced, so that they stay below 2³². */
const ADLER_RUN = 5552;

function adler32(bytes: Uint8Array): number {
  let low = 1;
  let high = 0;
  for (let from = 0; from < bytes.length; from += ADLER_RUN) {
    const to = Math.min(bytes.length, from + ADLER_RUN);
    for (let k = from; k < to; k++) {
      low += bytes[k];
      high += low;
    }
    low %= ADLER_MODULUS;
    high %= ADLER_MODULUS;
  }
  return ((high << 16) | low) >>> 0;
}
