import type { Remainder } from '../numeric/dd-cholesky.ts';
import type { NormalEquations } from './normal-equations.ts';
import type { Solution } from './solution.ts';

/**
 * How much of a number is rounding. Exact totals: every u was rounded once to a step of 2^−grid,
 * so it carries an independent error of variance step²/12. Compact totals: every entry was
 * rounded to 2⁻³², and its float64 sum before that to about 2⁻⁵³ of its size.
 */
export interface Rounding {
  /**
   * Expected squared length of the error in Σ cⱼ uⱼ (equilibrated units) over all rows, as a function of c; each of its two causes
   * times the square of its margin.
   */
  over(columns: readonly number[], margins?: Margins): RoundingLoss;
}

/** What is lost in a combination of columns with these coefficients. */
export type RoundingLoss = (coefficients: ArrayLike<number>) => number;

/** Factors on the expected error of the grid, and on that of doubles: 1600000000.1 loses its seventh decimal, which matters after the centre is subtracted. */
interface Margins {
  readonly grid: number;
  readonly doubles: number;
}

const EXPECTED: Margins = { grid: 1, doubles: 1 };

export function rounding({ layout, equilibration, rows }: NormalEquations): Rounding {
  // Values become doubles before the grid, each with an error of up to 2⁻⁵³ of its size.
  const ofDouble = (column: number) => {
    const { center, scale } = layout.references[column + 1];
    return ((rows * 2 ** -106) / 3) * (equilibration[column] * (Math.abs(center) / scale + 1)) ** 2;
  };
  if (layout.arithmetic === 'compact') {
    const entry = 2 ** -32 + rows * 2 ** -53;
    return {
      over(columns, margins = EXPECTED) {
        const sizes = Float64Array.from(columns, (j) => equilibration[j]);
        const doubles = sumOfSquares(columns.map((j) => margins.doubles ** 2 * ofDouble(j)));
        return (c) => {
          let sum = 0;
          for (let k = 0; k < sizes.length; k++) sum += Math.abs(c[k]) * sizes[k];
          return margins.grid ** 2 * entry * sum * sum + doubles(c);
        };
      },
    };
  }
  const variance = 2 ** (-2 * layout.grid) / 12;
  return {
    over: (columns, margins = EXPECTED) =>
      sumOfSquares(
        columns.map(
          (j) =>
            margins.grid ** 2 * rows * variance * equilibration[j] ** 2 +
            margins.doubles ** 2 * ofDouble(j),
        ),
      ),
  };
}

/** Σ weightⱼ cⱼ². */
function sumOfSquares(weights: readonly number[]): RoundingLoss {
  const own = Float64Array.from(weights);
  return (c) => {
    let sum = 0;
    for (let k = 0; k < own.length; k++) sum += c[k] * c[k] * own[k];
    return sum;
  };
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
  const explained = (columns: readonly number[], c: readonly number[], grid: number) =>
    noise.over(columns, { grid, doubles: OWN_MARGIN })(c);
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
    const own = noise.over([column])([1]);
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
  const { kept } = solution;
  const freedom = Math.max(1, equations.rows - kept.length - 1);
  const ofKept = noise.over(kept);
  const direction = coefficientDirections(equations, solution);
  const tilts = Array.from(models[0]?.estimates ?? [], (_, k) => {
    const { row, unit } = direction(k);
    return (ofKept(row) * unit * unit) / equations.rows;
  });
  let worst = 10 ** -MOST_DIGITS;
  models.forEach(({ estimates, unscaledVariances, responseUnit }, response) => {
    // An error E in u acts like extra noise in the response, and changes the normal equations by Eᵀr.
    const columns = [equations.predictors + response, ...kept];
    const extra = noise.over(columns)([1, ...solution.coefficients[response].hi]);
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

/** The change of a coefficient with the moments: `unit` times a row, in the user's units of x. */
interface Direction {
  readonly row: Float64Array;
  readonly unit: number;
}

/** The direction of each coefficient: rows of (S + P)⁻¹, not copied. */
function coefficientDirections(
  { layout, equilibration, means }: NormalEquations,
  { kept, factored }: FactoredSolution,
): (k: number) => Direction {
  const { hi } = factored.inverse;
  const rank = kept.length;
  const weightScale = layout.weightScale ?? 1;
  const slope = (k: number): Direction => {
    const column = kept[k];
    return {
      row: hi.subarray(k * rank, (k + 1) * rank),
      unit: equilibration[column] / (layout.references[column + 1].scale * weightScale),
    };
  };
  if (!layout.intercept) return slope;
  const intercept = new Float64Array(rank);
  kept.forEach((column, k) => {
    const { center, scale } = layout.references[column + 1];
    const { row, unit } = slope(k);
    const share = (center + scale * means.hi[column]) * unit;
    for (let j = 0; j < rank; j++) intercept[j] -= share * row[j];
  });
  return (k) => (k === 0 ? { row: intercept, unit: 1 } : slope(k - 1));
}
