import type { Remainder } from '../numeric/dd-cholesky.ts';
import type { NormalEquations } from './normal-equations.ts';
import type { Solution } from './solution.ts';

/**
 * How much of a number is rounding. Exact totals: every u was rounded once to a step of 2^−grid,
 * so it carries an independent error of variance step²/12. Compact totals: every entry was
 * rounded to 2⁻³², and its float64 sum before that to about 2⁻⁵³ of its size.
 */
export interface Rounding {
  /** Expected squared length of the error in Σ cⱼ uⱼ (equilibrated units) over all rows. */
  combined(columns: readonly number[], coefficients: ArrayLike<number>): number;
}

export function rounding(equations: NormalEquations): Rounding {
  const { layout, equilibration, rows } = equations;
  if (layout.arithmetic === 'compact') {
    const entry = 2 ** -32 + rows * 2 ** -53;
    return {
      combined(columns, c) {
        const sum = columns.reduce((s, j, k) => s + Math.abs(c[k]) * equilibration[j], 0);
        return entry * sum * sum;
      },
    };
  }
  const variance = 2 ** (-2 * layout.grid) / 12;
  return {
    combined(columns, c) {
      let sum = 0;
      for (let k = 0; k < columns.length; k++) sum += (c[k] * equilibration[columns[k]]) ** 2;
      return rows * variance * sum;
    },
  };
}

/**
 * Expected squared length of the rounding of values to doubles, up to 2⁻⁵³ each: 1600000000.1 loses
 * its seventh decimal, which matters after the centre is subtracted.
 */
function doubleRounding(
  { layout, equilibration, rows }: NormalEquations,
  columns: readonly number[],
  c: ArrayLike<number>,
): number {
  let sum = 0;
  for (let k = 0; k < columns.length; k++) {
    const { center, scale } = layout.references[columns[k] + 1];
    sum += (c[k] * equilibration[columns[k]] * (Math.abs(center) / scale + 1)) ** 2;
  }
  return (rows * 2 ** -106 * sum) / 3;
}

const DOUBLE_NOISE = 2 ** -46; // largest loss of arithmetic on doubles, as a share of a column
const MARGIN = 16; // up to this factor above the expected rounding counts as rounding
const OWN_MARGIN = 4; // the same for a column by itself, and for doubles, whose rounding is bounded
const SUSPECT = 1e-8; // only shares below this get the triangular solve that estimates the rounding

/**
 * Whether the remainder of a column is only rounding: of the column itself (as for a constant with
 * weights), or of the columns subtracted from it. R's lm calls a column aliased below 1e-7 of its
 * length; an integer total allows a finer limit.
 */
export function isRounding(equations: NormalEquations): (rest: Remainder) => boolean {
  const { matrix } = equations;
  const noise = rounding(equations);
  const kept: number[] = [];
  const explained = (columns: readonly number[], c: readonly number[], margin: number) =>
    margin ** 2 * noise.combined(columns, c) +
    OWN_MARGIN ** 2 * doubleRounding(equations, columns, c);
  return ({ column, pivot, coefficients }) => {
    const share = pivot.hi / matrix.hi[column * matrix.width + column];
    const nothing =
      share < DOUBLE_NOISE ** 2 ||
      pivot.hi < explained([column], [1], OWN_MARGIN) ||
      (share < SUSPECT && pivot.hi < explained([column, ...kept], [1, ...coefficients()], MARGIN));
    if (!nothing) kept.push(column);
    return nothing;
  };
}

/** Whether a column by itself is only rounding: it has the same value in every row. */
export function isConstant(equations: NormalEquations): (column: number) => boolean {
  const { matrix } = equations;
  const noise = rounding(equations);
  return (column) => {
    const own = noise.combined([column], [1]) + doubleRounding(equations, [column], [1]);
    return !(matrix.hi[column * (matrix.width + 1)] >= OWN_MARGIN ** 2 * own);
  };
}

/** Below this share of its response a residual counts as zero, and 0 can be the true value of a coefficient. */
const PERFECT = 1e-9;
const MOST_DIGITS = 13; // decimals become doubles before they reach the grid

/**
 * Significant digits that are reliable in every coefficient, relative to itself or to its standard error,
 * whichever is larger: three times the first-order propagation of the rounding through (S + P)⁻¹. The file's decimals are
 * rounded twice: to doubles, which counts far from 0, and to the grid.
 */
export function vouchedDigits(
  equations: NormalEquations,
  solution: FactoredSolution,
  models: readonly CoefficientSizes[],
): number {
  const noise = rounding(equations);
  const lost = (columns: readonly number[], c: ArrayLike<number>) =>
    noise.combined(columns, c) + doubleRounding(equations, columns, c);
  const { kept } = solution;
  const freedom = Math.max(1, equations.rows - kept.length - 1);
  const direction = coefficientDirections(equations, solution);
  const tilts = Array.from(
    models[0]?.estimates ?? [],
    (_, k) => lost(kept, direction(k)) / equations.rows,
  );
  let worst = 10 ** -MOST_DIGITS;
  models.forEach(({ estimates, unscaledVariances, responseUnit }, response) => {
    // An error E in u acts like extra noise in the response, and changes the normal equations by Eᵀr.
    const columns = [equations.predictors + response, ...kept];
    const extra = lost(columns, [1, ...solution.coefficients[response].hi]);
    const responseNoise = responseUnit * Math.sqrt(extra / equations.rows);
    const rss = solution.residual.hi[response];
    const target = equations.predictors + response;
    const square = equations.matrix.hi[target * (equations.matrix.width + 1)];
    const sigma = responseUnit * Math.sqrt(Math.max(rss, square * PERFECT ** 2) / freedom);
    estimates.forEach((estimate, k) => {
      const spread = Math.sqrt(unscaledVariances[k]);
      const error = 3 * (spread * responseNoise + responseUnit * Math.sqrt(tilts[k] * rss));
      const size = Math.max(Math.abs(estimate), sigma * spread);
      if (size > 0) worst = Math.max(worst, error / size + solution.solverError);
    });
  });
  return Math.max(0, -Math.log10(worst));
}

export type FactoredSolution = Solution & Required<Pick<Solution, 'factored'>>;

/** What `vouchedDigits` needs from a model, in the user's units. */
export interface CoefficientSizes {
  readonly estimates: Float64Array;
  readonly unscaledVariances: Float64Array;
  /** One equilibrated unit of the response, in the user's units. */
  readonly responseUnit: number;
}

/** The change of each coefficient, in the user's units of x, with the moments: rows of (S + P)⁻¹, each made when asked for. */
function coefficientDirections(
  { layout, equilibration, means }: NormalEquations,
  { kept, factored }: FactoredSolution,
): (k: number) => Float64Array {
  const { hi } = factored.inverse;
  const rank = kept.length;
  const weightScale = layout.weightScale ?? 1;
  const units = kept.map(
    (column) => equilibration[column] / (layout.references[column + 1].scale * weightScale),
  );
  const row = new Float64Array(rank);
  const slope = (k: number): Float64Array => {
    for (let j = 0; j < rank; j++) row[j] = hi[k * rank + j] * units[k];
    return row;
  };
  if (!layout.intercept) return slope;
  const intercept = new Float64Array(rank);
  kept.forEach((column, k) => {
    const { center, scale } = layout.references[column + 1];
    const mean = center + scale * means.hi[column];
    slope(k).forEach((c, j) => {
      intercept[j] -= mean * c;
    });
  });
  return (k) => (k === 0 ? intercept : slope(k - 1));
}
