import { type LinearLayout, predictorsOf } from '../statistic/linear-layout.ts';
import { predictorRange } from './noisy-total.ts';

/** Coefficients from public units to the user's: y = c_y + s_y·(w₀ + Σ w_j(x_j − c_j)/s_j). */
export function inUserUnits(
  coefficients: Float64Array,
  layout: LinearLayout,
  response = 0,
): { readonly terms: readonly string[]; readonly estimates: Float64Array } {
  const { first, columns } = predictorRange(layout);
  const { center } = layout.references[predictorsOf(layout) + response];
  const rows = userRows(layout, response);
  const names = layout.columns.slice(first, first + columns);
  const terms = layout.intercept ? ['(Intercept)', ...names.slice(1)] : names;
  const estimates = Float64Array.from(rows, (row, k) => {
    const own = row.reduce((sum, weight, j) => sum + weight * coefficients[j]!, 0);
    return layout.intercept && k === 0 ? center + own : own;
  });
  return { terms, estimates };
}

/** The covariance of coefficients, from public units to the user's. */
export function userCovariance(
  covariance: Float64Array,
  layout: LinearLayout,
  response = 0,
): Float64Array {
  const rows = userRows(layout, response);
  const d = rows.length;
  const half = rows.map((row) =>
    Float64Array.from({ length: d }, (_, k) =>
      row.reduce(
        (sum, weight, j) => (weight === 0 ? sum : sum + weight * covariance[j * d + k]!),
        0,
      ),
    ),
  );
  return Float64Array.from({ length: d * d }, (_, at) => {
    const left = half[Math.floor(at / d)]!;
    return rows[at % d]!.reduce(
      (sum, weight, j) => (weight === 0 ? sum : sum + weight * left[j]!),
      0,
    );
  });
}

/** The linear part of the change to the user's units: one row per term. */
function userRows(layout: LinearLayout, response: number): Float64Array[] {
  const { references, intercept } = layout;
  const { first, columns } = predictorRange(layout);
  const unit = references[predictorsOf(layout) + response].scale;
  const own = references.slice(first, first + columns);
  return own.map((_, k) => {
    const row = new Float64Array(columns);
    row[k] = unit / own[k].scale;
    if (intercept && k === 0) {
      for (let j = 1; j < columns; j++) row[j] = (-unit * own[j].center) / own[j].scale;
    }
    return row;
  });
}
