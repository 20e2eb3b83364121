/**
 * The smallest hashes of a column's values, ascending, in (0, 1]: all of them if they are few, else enough to estimate the
 * number of distinct values within about 2 % (k minimum values; Bar-Yossef et al. 2002). Sketches can be merged.
 */
export type DistinctSketch = Float64Array;

/** Most hashes that a sketch keeps. */
const MOST_HASHES = 2048;
const SEEN = 1024;

export interface DistinctCounter {
  add(values: Float64Array, rows: number): void;
  finish(): DistinctSketch;
}

/** Sketches a column in bounded memory. */
export function distinctCounter(): DistinctCounter {
  const hashes = new Float64Array(2 * MOST_HASHES);
  // Recent hashes: most columns of whole numbers have few values, which repeat.
  const seen = new Float64Array(SEEN);
  const bits = new Float64Array(1);
  const halves = new Uint32Array(bits.buffer);
  let count = 0;
  let limit = 1;
  const compact = () => {
    const smallest = smallestOf(hashes.subarray(0, count));
    hashes.set(smallest);
    count = smallest.length;
    if (count === MOST_HASHES) limit = hashes[count - 1];
  };
  return {
    add(values, rows) {
      for (let r = 0; r < rows; r++) {
        bits[0] = values[r] + 0; // −0 is 0
        const high = mixed(halves[0] ^ mixed(halves[1] ^ 0x9e3779b9));
        const low = mixed(halves[1] ^ high);
        const hash = (high * 2 ** 21 + (low >>> 11) + 1) * 2 ** -53;
        if (hash > limit || seen[low & (SEEN - 1)] === hash) continue;
        seen[low & (SEEN - 1)] = hash;
        hashes[count++] = hash;
        if (count === hashes.length) compact();
      }
    },
    finish: () => smallestOf(hashes.subarray(0, count)),
  };
}

/** A bijection of 32-bit numbers in which each bit depends on all others (MurmurHash3's finaliser). */
function mixed(x: number): number {
  let h = x;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

export function mergeSketches(a: DistinctSketch, b: DistinctSketch): DistinctSketch {
  const both = new Float64Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return smallestOf(both);
}

function smallestOf(hashes: Float64Array): DistinctSketch {
  const sorted = hashes.slice().sort();
  let kept = 0;
  for (let k = 0; k < sorted.length && kept < MOST_HASHES; k++) {
    if (kept === 0 || sorted[k] !== sorted[kept - 1]) sorted[kept++] = sorted[k];
  }
  return sorted.slice(0, kept);
}

/** The number of distinct values of the column; exact below 2048. */
export function distinctEstimate(sketch: DistinctSketch): number {
  const count = sketch.length;
  return count < MOST_HASHES ? count : (count - 1) / sketch[count - 1];
}

/** A sketch of which only the estimate means something: of a column whose distinct values another program has counted. */
export function sketchOfCount(count: number): DistinctSketch {
  const kept = Math.min(count, MOST_HASHES);
  const last = count < MOST_HASHES ? 1 : (MOST_HASHES - 1) / count;
  return Float64Array.from({ length: kept }, (_, k) => ((k + 1) / kept) * last);
}
