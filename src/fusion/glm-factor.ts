/** Share of a column's square that is left after the columns before it; below this it is a combination of them. */
const DEPENDENT = 1e-11;
/** Smallest share of a pivot, so that a nearly flat direction gets a long step, not an infinite one. */
const FLOOR = 1e-14;

/** The columns among `candidates` of a Gram matrix that are not combinations of those before them. */
export function independentColumns(
  matrix: Float64Array,
  width: number,
  candidates: readonly number[],
): number[] {
  const kept: number[] = [];
  const lower: Float64Array[] = [];
  for (const column of candidates) {
    const row = new Float64Array(kept.length + 1);
    const whole = matrix[column * width + column];
    let rest = whole;
    kept.forEach((other, k) => {
      row[k] = (matrix[column * width + other] - dot(row, lower[k], k)) / lower[k][k];
      rest -= row[k] ** 2;
    });
    if (!(rest > DEPENDENT * whole)) continue;
    row[kept.length] = Math.sqrt(rest);
    kept.push(column);
    lower.push(row);
  }
  return kept;
}

/** LLᵀ of the kept rows and columns of a positive semidefinite matrix; the others count as zero. */
export interface KeptFactor {
  /** The vector over all columns that solves for b in the kept ones. */
  solve(b: Float64Array): Float64Array;
  /** xᵀ(LLᵀ)⁻¹x, x given by column. */
  squaredLength(x: (column: number) => number): number;
  readonly logDeterminant: number;
}

export function factorKept(
  matrix: Float64Array,
  width: number,
  kept: readonly number[],
): KeptFactor {
  const lower = kept.map((_, k) => new Float64Array(k + 1));
  let logDeterminant = 0;
  kept.forEach((column, k) => {
    const row = lower[k];
    const whole = matrix[column * width + column];
    let rest = whole;
    for (let l = 0; l < k; l++) {
      row[l] = (matrix[column * width + kept[l]] - dot(row, lower[l], l)) / lower[l][l];
      rest -= row[l] ** 2;
    }
    row[k] = Math.sqrt(Math.max(rest, FLOOR * whole, Number.MIN_VALUE / Number.EPSILON));
    logDeterminant += 2 * Math.log(row[k]);
  });
  const work = new Float64Array(kept.length);
  const forward = (b: (column: number) => number) => {
    for (let k = 0; k < kept.length; k++) {
      work[k] = (b(kept[k]) - dot(lower[k], work, k)) / lower[k][k];
    }
  };
  return {
    solve(b) {
      forward((column) => b[column]);
      const solved = new Float64Array(width);
      for (let k = kept.length - 1; k >= 0; k--) {
        let value = work[k];
        for (let l = k + 1; l < kept.length; l++) value -= lower[l][k] * solved[kept[l]];
        solved[kept[k]] = value / lower[k][k];
      }
      return solved;
    },
    squaredLength(x) {
      forward(x);
      return dot(work, work, kept.length);
    },
    logDeterminant,
  };
}

/** Σ aᵢbᵢ over the first `length` entries. */
export function dot(a: Float64Array, b: Float64Array, length: number): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += a[i] * b[i];
  return sum;
}
