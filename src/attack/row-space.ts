/** The space that the rows span, from Σ b bᵀ: every vector v in it is Σ v[pivots[k]] · echelon[k]. */
export interface RowSpace {
  /** Columns that determine all others; the first is 0, the constant. */
  readonly pivots: readonly number[];
  readonly echelon: readonly Float64Array[];
}

/** A remainder below this, over the number of rows, means that a column depends on those before it. */
const DEPENDENT = 1e-9;

/**
 * The row space of a positive semidefinite matrix of counts by Gauss–Jordan elimination with diagonal pivots, or undefined
 * if it has more than `mostDimensions`.
 */
export function rowSpace(
  counts: Float64Array,
  width: number,
  mostDimensions: number,
): RowSpace | undefined {
  const rest = Float64Array.from(counts);
  const pivots: number[] = [];
  const echelon: Float64Array[] = [];
  for (let pivot = 0; pivot >= 0; pivot = largestLeft(rest, width, counts[0])) {
    if (pivots.length === mostDimensions) return undefined;
    const row = rest
      .slice(pivot * width, (pivot + 1) * width)
      .map((x) => x / rest[pivot * width + pivot]);
    row[pivot] = 1;
    for (const earlier of echelon) subtract(earlier, row, earlier[pivot]);
    for (const earlier of echelon) earlier[pivot] = 0;
    for (let i = 0; i < width; i++) {
      subtract(rest.subarray(i * width, (i + 1) * width), row, rest[i * width + pivot]);
    }
    pivots.push(pivot);
    echelon.push(row);
  }
  return { pivots, echelon };
}

function subtract(target: Float64Array, row: Float64Array, factor: number): void {
  if (factor === 0) return;
  for (let j = 0; j < target.length; j++) target[j] -= factor * row[j];
}

/** The column with the largest remainder, or −1 if all depend on the pivots. */
function largestLeft(rest: Float64Array, width: number, rows: number): number {
  let best = -1;
  let largest = rows * DEPENDENT;
  for (let j = 0; j < width; j++) {
    if (rest[j * width + j] <= largest) continue;
    largest = rest[j * width + j];
    best = j;
  }
  return best;
}
