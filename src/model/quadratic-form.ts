import { type DoubleDouble, dd, ddAdd, ddMultiply, twoProduct } from '../numeric/double-double.ts';

/** Bound on the relative rounding error of a covariance's entries. */
const ROUNDING = 2 ** -51;
/** A quadratic form, row-major, and how far rounding may have moved each of its entries. */
export interface Form {
  readonly values: Float64Array;
  readonly rounding: Float64Array;
}

/** A covariance as it was written down. */
export function plainForm(matrix: readonly (readonly number[])[]): Form {
  const values = Float64Array.from(matrix.flat());
  return { values, rounding: values.map((value) => ROUNDING * Math.abs(value)) };
}

/** The same form in x − shift: V₀ⱼ becomes (Va)ⱼ and V₀₀ aᵀVa with a = (1, shift), in double-double as they cancel. */
export function shiftedForm(
  matrix: readonly (readonly number[])[],
  first: number,
  shift: readonly number[],
): Form {
  const form = plainForm(matrix);
  const width = matrix.length;
  const at = shift.map((value, k) => (k === first ? 1 : value));
  const size = at.map(Math.abs);
  const turned = matrix.map((row) => ddSum(row.map((value, k) => twoProduct(value, at[k]))));
  const turnedSize = matrix.map((row) =>
    row.reduce((sum, value, k) => sum + ROUNDING * Math.abs(value) * size[k], 0),
  );
  const put = (k: number, value: number, rounding: number) => {
    for (const place of [first * width + k, k * width + first]) {
      form.values[place] = value;
      form.rounding[place] = rounding;
    }
  };
  turned.forEach((value, k) => {
    if (k !== first) put(k, value.hi, turnedSize[k]);
  });
  const level = ddSum(turned.map((value, k) => ddMultiply(value, dd(at[k]))));
  put(
    first,
    level.hi,
    turnedSize.reduce((sum, value, k) => sum + value * size[k], 0),
  );
  return form;
}

function ddSum(values: readonly DoubleDouble[]): DoubleDouble {
  return values.reduce(ddAdd, dd(0));
}

/** In least squares the mean response is uncorrelated with the slopes, and its variance is σ²/n: both are exact. */
export function setExactCentre(
  { values, rounding }: Form,
  first: number,
  level: number | undefined,
): void {
  const width = Math.sqrt(values.length);
  for (let k = 0; k < width; k++) {
    if (k === first) continue;
    for (const place of [first * width + k, k * width + first]) {
      values[place] = 0;
      rounding[place] = 0;
    }
  }
  if (level === undefined) return;
  values[first * width + first] = level;
  rounding[first * width + first] = 0;
}

/** uᵀFu of every row for a symmetric F, row-major; `columns` hold u. */
export function quadratic(
  form: Float64Array,
  columns: readonly Float64Array[],
  rows: number,
): Float64Array {
  const width = columns.length;
  const sums = new Float64Array(rows);
  const turned = new Float64Array(rows);
  for (let i = 0; i < width; i++) {
    const own = columns[i];
    const diagonal = form[i * width + i];
    for (let r = 0; r < rows; r++) turned[r] = diagonal * own[r];
    for (let j = 0; j < i; j++) {
      const entry = 2 * form[i * width + j];
      if (entry === 0) continue;
      const other = columns[j];
      for (let r = 0; r < rows; r++) turned[r] += entry * other[r];
    }
    for (let r = 0; r < rows; r++) sums[r] += own[r] * turned[r];
  }
  return sums;
}
