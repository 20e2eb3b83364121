import { type DdMatrix, ddDot } from '../numeric/dd-matrix.ts';
import { moments, type NormalEquations } from '../solve/normal-equations.ts';

/** Kept and aliased columns, and the inverse over the kept ones. */
export interface Ranked {
  readonly kept: readonly number[];
  readonly aliased: readonly number[];
  readonly factored?: { readonly inverse: DdMatrix };
}

/** A column that is a combination of kept ones: x = constant + Σ coefficientₖ xₖ in the user's units. */
export interface Alias {
  readonly column: number;
  /** Over the kept columns, in order. */
  readonly coefficients: readonly number[];
  /** 0 without an intercept. */
  readonly constant: number;
}

const NOTHING = 1e-7; // of a column's size: below this a coefficient is rounding

/** What each aliased column is a combination of; coefficients that are rounding are 0. */
export function aliases(equations: NormalEquations, ranked: Ranked): Alias[] {
  const { layout, equilibration, matrix, means, predictors } = equations;
  const { kept, aliased, factored } = ranked;
  if (factored === undefined) return [];
  const root = Math.sqrt(equations.weightSum) / (layout.weightScale ?? 1);
  const unit = (i: number) => layout.references[i + 1].scale / equilibration[i];
  const size = (i: number) => Math.sqrt(Math.max(0, matrix.hi[i * (matrix.width + 1)]));
  const mean = (i: number) => {
    const { center, scale } = layout.references[i + 1];
    return center + scale * means.hi[i];
  };
  return aliased.map((column) => {
    const b = moments(equations, kept, column - predictors);
    const raw = kept.map((_, k) => ddDot(factored.inverse, k * kept.length, b, 0, kept.length).hi);
    // With weights, the rest of a constant column is rounding, so the mean counts as size too.
    const whole = size(column) + (root * Math.abs(mean(column))) / unit(column);
    const coefficients = raw.map((c, k) =>
      Math.abs(c) * size(kept[k]) > NOTHING * whole ? (c * unit(column)) / unit(kept[k]) : 0,
    );
    if (!layout.intercept) return { column, coefficients, constant: 0 };
    const products = kept.map((i, k) => coefficients[k] * mean(i));
    const constant = mean(column) - products.reduce((sum, product) => sum + product, 0);
    const terms = products.reduce(
      (sum, product) => sum + Math.abs(product),
      Math.abs(mean(column)),
    );
    return { column, coefficients, constant: Math.abs(constant) > NOTHING * terms ? constant : 0 };
  });
}
