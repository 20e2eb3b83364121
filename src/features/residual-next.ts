import { defined } from '../defined.ts';
import type { Failure } from '../failure.ts';
import { symmetricEigen } from '../numeric/eigen.ts';
import { reproducibleKernels } from '../numeric/kernels.ts';
import type { FittedColumns, FittedResponse } from './further-contacts.ts';
import { numbersText, type ResidualLayer } from './residual-terms.ts';

/** Eigenvalues below this share of the largest are rounding. */
const NOTHING = 1e-12;
/** Largest share of the hidden coefficients that may be left behind. */
const CARRIED = 1e-6;

/**
 * The layer that carries a fit on: with W the coefficients of X and V of F (and of the constant), both in public units of the
 * responses, D = V(WᵀW)⁺Wᵀ, so that the next X = X + [1, F]·D predicts by W alone what X and F predict together. Its
 * factors are V·E and Λ⁻¹EᵀWᵀ, where WᵀW = EΛEᵀ. The same bits for everyone who has the report.
 */
export function nextLayer(
  { responses, score }: FittedColumns,
  dimension: number,
): ResidualLayer | Failure {
  const count = responses.length;
  const columns = responses[0].slopes.length - dimension;
  const carried = coefficientMatrix(responses, columns, ({ slopes }, i) => slopes[i]);
  const made = coefficientMatrix(responses, 1 + dimension, ({ slopes, constant, unit }, j) =>
    j === 0 ? constant - unit.center : slopes[columns + j - 1],
  );
  const { values, vectors } = symmetricEigen(
    reproducibleKernels(),
    product(transposed(carried, columns, count), carried, count, columns, count),
    count,
  );
  const largest = values[count - 1];
  if (!(largest > 0 && largest < Number.POSITIVE_INFINITY)) return nothingToCarry;
  const kept = [...values.keys()].filter((k) => values[k] > NOTHING * largest).reverse();
  const rank = kept.length;
  const directions = new Float64Array(count * rank);
  kept.forEach((k, at) => {
    for (let c = 0; c < count; c++) directions[c * rank + at] = vectors[c * count + k];
  });
  const hidden = product(made, directions, 1 + dimension, count, rank);
  const slopes = made.subarray(count);
  const whole = squares(slopes);
  if (whole - squares(hidden.subarray(rank)) > CARRIED * whole) return tooNarrow(columns, count);
  const output = product(
    transposed(directions, count, rank),
    transposed(carried, columns, count),
    rank,
    count,
    columns,
  );
  kept.forEach((k, at) => {
    for (let i = 0; i < columns; i++) output[at * columns + i] /= values[k];
  });
  return { hidden: numbersText(hidden), output: numbersText(output), ...defined({ score }) };
}

/** Coefficients in public units of the responses: a row for each index below `rows`, a column for each response. */
function coefficientMatrix(
  responses: readonly FittedResponse[],
  rows: number,
  of: (response: FittedResponse, row: number) => number,
): Float64Array {
  const matrix = new Float64Array(rows * responses.length);
  responses.forEach((response, c) => {
    for (let i = 0; i < rows; i++) {
      matrix[i * responses.length + c] = of(response, i) / response.unit.scale;
    }
  });
  return matrix;
}

/** The product of an `outer` × `inner` and an `inner` × `width` matrix, row-major; sums in the order of the inner index. */
function product(
  left: Float64Array,
  right: Float64Array,
  outer: number,
  inner: number,
  width: number,
): Float64Array {
  const result = new Float64Array(outer * width);
  for (let i = 0; i < outer; i++) {
    for (let k = 0; k < inner; k++) {
      const factor = left[i * inner + k];
      for (let j = 0; j < width; j++) result[i * width + j] += factor * right[k * width + j];
    }
  }
  return result;
}

function transposed(matrix: Float64Array, rows: number, columns: number): Float64Array {
  const result = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) result[j * rows + i] = matrix[i * columns + j];
  }
  return result;
}

function squares(values: Float64Array): number {
  return values.reduce((sum, value) => sum + value * value, 0);
}

const nothingToCarry: Failure = {
  problem:
    'the model gives the columns that are carried on no coefficients, so no layer can follow',
  remedy: 'keep this model, or start anew with a smaller penalty',
};

function tooNarrow(columns: number, responses: number): Failure {
  return {
    problem: `${columns === 1 ? '1 column' : `${columns} columns`} cannot carry the fit of ${responses} responses on`,
    remedy: 'keep this model, or start anew with more columns than responses',
  };
}
