import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
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
  /** Weights of the rows; absent where all count alike. */
  readonly weights?: Float64Array;
  /** What is known of η; absent without an offset. */
  readonly offset?: Float64Array;
}

/**
 * Evaluates a block of complete rows into new arrays; refuses, by row, a response that the family does not allow.
 * In a weighted study the last column of the block has the weights. `watch` sees z in the user's units.
 */
export function glmRows(
  design: Design,
  layout: LinearLayout,
  family: Family,
  block: Block,
  origin: Origin,
  watch: (columns: readonly Float64Array[], known: RowTerms) => void = () => {},
): GlmRows {
  const { rows } = block;
  const weighted = layout.priorWeights === true;
  const columns = layout.columns.map(() => new Float64Array(rows));
  columns[0].fill(1);
  const asked = design.intercept ? columns : columns.slice(1);
  design.evaluate(
    block,
    origin,
    asked,
    asked.map(() => undefined),
  );
  const offset = design.evaluateOffset === undefined ? undefined : new Float64Array(rows);
  if (offset !== undefined) design.evaluateOffset?.(block, origin, offset);
  const weights = weighted ? block.columns.at(-1)!.slice(0, rows) : undefined;
  const known: RowTerms = defined({ weights, offset });
  watch(columns, known);
  const response = columns.pop() as Float64Array;
  for (let r = 0; r < rows; r++) {
    const refusal = family.refusal(response[r], weighted);
    if (refusal === undefined) continue;
    const place = { file: origin.file, row: origin.rowOf(r), column: layout.columns.at(-1) };
    throw new DataError(refusal.problem, place as DataError['place'], refusal.remedy);
  }
  columns.forEach((values, i) => {
    const { center, scale } = layout.references[i];
    if (center === 0 && scale === 1) return;
    for (let r = 0; r < rows; r++) values[r] = (values[r] - center) / scale;
  });
  return { rows, columns, response, ...known };
}

/** What rows have beside x and y: weights, and what is known of η. */
export type RowTerms = Pick<GlmRows, 'weights' | 'offset'>;

/** η of every row, for coefficients in units of the references. */
export function linearPredictor(
  { rows, columns, offset }: GlmRows,
  beta: Float64Array,
): Float64Array {
  const eta = offset?.slice() ?? new Float64Array(rows);
  columns.forEach((values, j) => {
    const b = beta[j];
    if (b !== 0) for (let r = 0; r < rows; r++) eta[r] += b * values[r];
  });
  return eta;
}

/** The weight of every row in the Fisher information: its own times Var(y). */
export function informationWeights(
  family: Family,
  { weights }: RowTerms,
  eta: Float64Array,
): Float64Array {
  const variances = eta.map(family.variance);
  return weights === undefined ? variances : variances.map((v, r) => v * weights[r]);
}

/** What every row gives to the score beside its x: its weight times y − μ. */
export function scoreResiduals(
  family: Family,
  { response, weights }: Pick<GlmRows, 'response' | 'weights'>,
  eta: Float64Array,
): Float64Array {
  return response.map((y, r) => (y - family.mean(eta[r])) * (weights?.[r] ?? 1));
}

/**
 * What every row adds to the Fisher statistic at β, beside its x: its weight W, and its moment W·xᵀβ + s with its score s;
 * `columns` of z in the user's units.
 */
export function rowParts(
  { references }: LinearLayout,
  family: Family,
  columns: readonly Float64Array[],
  known: RowTerms,
  beta: Float64Array,
): {
  readonly weights: Float64Array;
  readonly moments: Float64Array;
  readonly scores: Float64Array;
} {
  const response = columns[beta.length];
  const fitted = new Float64Array(response.length);
  beta.forEach((b, j) => {
    const { center, scale } = references[j];
    const values = columns[j];
    if (b === 0) return;
    for (let r = 0; r < fitted.length; r++) fitted[r] += (b * (values[r] - center)) / scale;
  });
  const eta = fitted.map((value, r) => value + (known.offset?.[r] ?? 0));
  const weights = informationWeights(family, known, eta);
  const scores = scoreResiduals(family, { response, ...known }, eta);
  const moments = scores.map((score, r) => weights[r] * fitted[r] + score);
  return { weights, moments, scores };
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
