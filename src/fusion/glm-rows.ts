import { DataError } from '../data-error.ts';
import type { Design } from '../features/design.ts';
import { type DoubleDouble, dd, ddAdd, twoProduct } from '../numeric/double-double.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { Block, Origin } from '../table/columns.ts';
import type { Family } from './glm-family.ts';

/** Complete rows as model columns: the constant and the predictors in units of their references. */
export interface GlmRows {
  readonly rows: number;
  readonly columns: readonly Float64Array[];
  readonly response: Float64Array;
}

/**
 * Evaluates a block of complete rows into new arrays; refuses, by row, a response that the family does not allow.
 * `watch` sees z in the user's units.
 */
export function glmRows(
  design: Design,
  layout: LinearLayout,
  family: Family,
  block: Block,
  origin: Origin,
  watch: (columns: readonly Float64Array[]) => void = () => {},
): GlmRows {
  const { rows } = block;
  const columns = layout.columns.map(() => new Float64Array(rows));
  columns[0].fill(1);
  const asked = design.intercept ? columns : columns.slice(1);
  design.evaluate(
    block,
    origin,
    asked,
    asked.map(() => undefined),
  );
  watch(columns);
  const response = columns.pop() as Float64Array;
  for (let r = 0; r < rows; r++) {
    const refusal = family.refusal(response[r]);
    if (refusal === undefined) continue;
    const place = { file: origin.file, row: origin.rowOf(r), column: layout.columns.at(-1) };
    throw new DataError(refusal.problem, place as DataError['place'], refusal.remedy);
  }
  columns.forEach((values, i) => {
    const { center, scale } = layout.references[i];
    if (center === 0 && scale === 1) return;
    for (let r = 0; r < rows; r++) values[r] = (values[r] - center) / scale;
  });
  return { rows, columns, response };
}

/** η of every row, for coefficients in units of the references. */
export function linearPredictor({ rows, columns }: GlmRows, beta: Float64Array): Float64Array {
  const eta = new Float64Array(rows);
  columns.forEach((values, j) => {
    const b = beta[j];
    if (b !== 0) for (let r = 0; r < rows; r++) eta[r] += b * values[r];
  });
  return eta;
}

/**
 * What every row adds to the Fisher statistic at β, beside its x: its weight w, and its moment wη + y − μ; `columns` of z in the
 * user's units.
 */
export function rowParts(
  { references }: LinearLayout,
  family: Family,
  columns: readonly Float64Array[],
  beta: Float64Array,
): { readonly weights: Float64Array; readonly moments: Float64Array } {
  const response = columns[beta.length];
  const eta = new Float64Array(response.length);
  beta.forEach((b, j) => {
    const { center, scale } = references[j];
    const values = columns[j];
    if (b !== 0) for (let r = 0; r < eta.length; r++) eta[r] += (b * (values[r] - center)) / scale;
  });
  const weights = eta.map(family.variance);
  const moments = response.map((y, r) => weights[r] * eta[r] + y - family.mean(eta[r]));
  return { weights, moments };
}

/** Coefficients by term, from the user's units to units of the references. */
export function referenceCoefficients(
  layout: LinearLayout,
  at: Readonly<Record<string, number>>,
): Float64Array {
  const names = layout.columns.slice(0, -1);
  const needed = layout.intercept ? names : names.slice(1);
  const lost = needed.filter((name) => !Object.hasOwn(at, name));
  if (lost.length > 0) {
    throw new DataError(
      `the coefficients to start from lack ${lost.join(', ')}`,
      {},
      'give every term of the formula, with 0 for those that were aliased',
    );
  }
  const beta = new Float64Array(names.length);
  let level: DoubleDouble = dd(layout.intercept ? at[names[0]] : 0);
  names.forEach((name, j) => {
    if (j === 0) return;
    const { center, scale } = layout.references[j];
    beta[j] = at[name] * scale;
    level = ddAdd(level, twoProduct(at[name], center));
  });
  beta[0] = level.hi;
  return beta;
}
