/** How often each cell of a table occurs in a release. All releases that are compared have the same cells. */
export interface CellCounts {
  readonly at: string;
  readonly counts: Int32Array;
}

/** Few rows that remain of the present release after others are added and subtracted. */
export interface Residue {
  /** When the others were released. */
  readonly at: readonly string[];
  readonly rows: number;
}

/** Cells that have the same counts in every release. */
interface Patterns {
  /** Number of cells of each pattern, largest first. */
  readonly cells: Float64Array;
  readonly now: Int32Array;
  readonly past: readonly PatternCounts[];
  /** Whether most rows of the present release differ from all others, so that equal values mean the same row. */
  readonly telling: boolean;
}

interface PatternCounts extends CellCounts {
  readonly rows: number;
}

/**
 * Sums and differences of this release and two or three earlier ones that leave at least one row and fewer than `least`.
 * A release with the same rows as an earlier one tells nothing new, and none are looked for.
 */
export function smallResidues(
  now: Int32Array,
  past: readonly CellCounts[],
  least: number,
): Residue[] {
  const patterns = patternsOf(now, past);
  const others = distinct(patterns);
  if (others === undefined) return [];
  const size = sizeOf(patterns.cells, patterns.now);
  // A row counts at most three times in a combination with both signs.
  const most = 3 * least;
  const found: Residue[] = [];
  const judge = (members: readonly PatternCounts[], signs: readonly number[]) => {
    const rows = residue(patterns, members, signs, least);
    if (rows > 0 && rows < least) found.push({ at: members.map(({ at }) => at), rows });
  };
  for (let i = 0; i < others.length; i++) {
    for (let j = i + 1; j < others.length; j++) {
      for (const [a, b] of SIGNS) {
        const sum = size + a * others[i].rows + b * others[j].rows;
        if ((a < 0 || b < 0) && Math.abs(sum) < most) judge([others[i], others[j]], [a, b]);
        for (const c of [1, -1]) {
          const minus = [a, b, c].filter((sign) => sign < 0).length;
          if (minus === 0 || (minus === 2 && !patterns.telling)) continue;
          // The third has −c·sum rows, give or take.
          const wanted = -c * sum;
          let k = Math.max(j + 1, firstWith(others, wanted - most));
          for (; k < others.length && others[k].rows < wanted + most; k++) {
            judge([others[i], others[j], others[k]], [a, b, c]);
          }
        }
      }
    }
  }
  return found;
}

const SIGNS = [
  [1, 1],
  [1, -1],
  [-1, 1],
  [-1, -1],
] as const;

/** The rows that remain, at most `least`. */
function residue(
  { cells, now }: Patterns,
  members: readonly PatternCounts[],
  signs: readonly number[],
  least: number,
): number {
  let rows = 0;
  for (let p = 0; p < cells.length; p++) {
    let left = now[p];
    for (let k = 0; k < members.length; k++) left += signs[k] * members[k].counts[p];
    if (left === 0) continue;
    // One row may remain several times: once for each release of the same sign that has it.
    let same = left > 0 && now[p] > 0 ? 1 : 0;
    for (let k = 0; k < members.length; k++) {
      if (signs[k] * left > 0 && members[k].counts[p] > 0) same++;
    }
    rows += cells[p] * Math.ceil(Math.abs(left) / same);
    if (rows >= least) return least;
  }
  return rows;
}

/** Earlier releases with different rows, by their number of rows; undefined if one has the rows of the present release. */
function distinct({ cells, now, past }: Patterns): readonly PatternCounts[] | undefined {
  const known = new Set<string>();
  const others: PatternCounts[] = [];
  for (const one of past) {
    if (one.rows === 0) continue;
    if (one.counts.every((count, p) => count === now[p])) return undefined;
    const key = one.counts.join();
    if (cells.length > 0 && !known.has(key)) others.push(one);
    known.add(key);
  }
  return others.sort((a, b) => a.rows - b.rows);
}

function patternsOf(now: Int32Array, past: readonly CellCounts[]): Patterns {
  const all = [now, ...past.map(({ counts }) => counts)];
  const places = new Map<number, number>();
  const firsts: number[] = [];
  const sizes: number[] = [];
  const factors = all.map((_, k) => [oddWord(2 * k), oddWord(2 * k + 1)] as const);
  for (let cell = 0; cell < now.length; cell++) {
    let low = 0;
    let high = 0;
    for (let k = 0; k < all.length; k++) {
      const count = all[k][cell];
      if (count === 0) continue;
      low = (low + Math.imul(count, factors[k][0])) | 0;
      high = (high + Math.imul(count, factors[k][1])) | 0;
    }
    if (low === 0 && high === 0) continue;
    const key = (low >>> 0) * 2 ** 20 + (high >>> 12);
    const place = places.get(key);
    if (place !== undefined) {
      sizes[place]++;
      continue;
    }
    places.set(key, firsts.length);
    firsts.push(cell);
    sizes.push(1);
  }
  const order = firsts.map((_, p) => p).sort((a, b) => sizes[b] - sizes[a]);
  const picked = (counts: Int32Array) => Int32Array.from(order, (p) => counts[firsts[p]]);
  const cells = Float64Array.from(order, (p) => sizes[p]);
  const present = picked(now);
  const earlier = past.map(({ at, counts }) => {
    const own = picked(counts);
    return { at, counts: own, rows: sizeOf(cells, own) };
  });
  let single = 0;
  cells.forEach((size, p) => {
    if (present[p] === 1 && earlier.every(({ counts }) => counts[p] <= 1)) single += size;
  });
  return { cells, now: present, past: earlier, telling: 2 * single >= sizeOf(cells, present) };
}

function sizeOf(cells: Float64Array, counts: Int32Array): number {
  return cells.reduce((sum, size, p) => sum + size * counts[p], 0);
}

/** The k-th of a fixed sequence of odd words that look random (MurmurHash3's finalizer). */
function oddWord(k: number): number {
  let word = Math.imul(k + 1, 0x9e3779b1);
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return (word ^ (word >>> 16)) | 1;
}

/** The place of the first release with more than `rows` rows. */
function firstWith(others: readonly PatternCounts[], rows: number): number {
  let low = 0;
  let high = others.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (others[middle].rows > rows) high = middle;
    else low = middle + 1;
  }
  return low;
}
