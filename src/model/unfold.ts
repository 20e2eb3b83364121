import type { Design, ProjectedDesign } from '../features/design.ts';
import { isProjectionName, PROJECTION, projectionNames } from '../features/project-design.ts';
import { dd, ddAdd, ddScale, twoProduct } from '../numeric/double-double.ts';
import type { TermRow } from './inference.ts';
import type { Report } from './report.ts';

/** A coefficient of a column as the formula has it, where the model was learnt from projections. */
export type OriginalRow = Pick<TermRow, 'term' | 'estimate' | 'std.error'>;

/** Coefficients of a projected design, and how sure they are where that is known. */
export interface ProjectedCoefficients {
  readonly terms: readonly string[];
  readonly estimates: Float64Array;
  /** Row-major over the terms. */
  covariance(): Float64Array | undefined;
}

/** Products that standard errors of the original columns may take: about a quarter of a second. */
const MOST_PRODUCTS = 2e8;

/**
 * The report with what its coefficients are on the columns of the formula: the projection is linear, so a model of the
 * projections is one of the columns, with coefficients R·w.
 */
export function withOriginal(
  report: Report,
  { projected, columns }: Design,
  models: readonly ProjectedCoefficients[],
): Report {
  const known = new Set(projectionNames({ columns }));
  if (projected === undefined || !models.some(({ terms }) => terms.some((t) => known.has(t)))) {
    return report;
  }
  const { dimension, seed } = projected;
  const facts = { dimension, seed, columns: projected.columns.length };
  const originals = models.map((model) => unfold(projected, model));
  return report.responses === undefined
    ? { ...report, projection: facts, original: originals[0] }
    : {
        ...report,
        projection: facts,
        responses: report.responses.map((one, r) => ({ ...one, original: originals[r] })),
      };
}

/** Coefficients of the formula's columns, in the user's units and R's order; sites with effects of their own behind. */
export function unfold(projected: ProjectedDesign, model: ProjectedCoefficients): OriginalRow[] {
  const { from, columns, matrix, dimension } = projected;
  const places = new Map(model.terms.map((term, place) => [term, place]));
  // Aliased projections have no coefficient and count as 0.
  const used = Array.from({ length: dimension }, (_, j) => j).flatMap((j) => {
    const place = places.get(`${PROJECTION}${j + 1}`);
    return place === undefined ? [] : [{ j, place }];
  });
  const slopes = new Map<string, number>();
  let shift = dd(0);
  columns.forEach((index, i) => {
    const { name, publicUnit } = from.columns[index];
    let sum = dd(0);
    for (const { j, place } of used) {
      sum = ddAdd(sum, twoProduct(matrix[i * dimension + j], model.estimates[place]));
    }
    const slope = sum.hi / publicUnit.scale;
    slopes.set(name, slope);
    shift = ddAdd(shift, twoProduct(slope, publicUnit.center));
  });
  const errors = standardErrors(projected, model, used);
  const own = from.columns.slice(0, from.columns.length - from.responses);
  const names = new Set(own.map(({ name }) => name));
  const others = model.terms.filter((term) => !names.has(term) && !isProjectionName(term));
  return [...own.map(({ name }) => name), ...others].flatMap((term) => {
    const place = places.get(term);
    const slope = slopes.get(term);
    const estimate =
      slope ??
      (place === undefined
        ? undefined
        : term === '(Intercept)'
          ? ddAdd(dd(model.estimates[place]), ddScale(shift, -1)).hi
          : model.estimates[place]);
    if (estimate === undefined) return [];
    const error = errors?.(term, place);
    return [{ term, estimate, ...(error === undefined ? {} : { 'std.error': error }) }];
  });
}

type ErrorOf = (term: string, place: number | undefined) => number | undefined;

/** √(a C aᵀ), a being how a coefficient is made of the model's; undefined where that would take long. */
function standardErrors(
  { from, columns, matrix, dimension }: ProjectedDesign,
  model: ProjectedCoefficients,
  used: readonly { readonly j: number; readonly place: number }[],
): ErrorOf | undefined {
  const width = model.terms.length;
  if (columns.length * width * width > MOST_PRODUCTS) return undefined;
  const covariance = model.covariance();
  if (covariance === undefined) return undefined;
  const rows = new Map<string, Float64Array>();
  const level = new Float64Array(width);
  columns.forEach((index, i) => {
    const { name, publicUnit } = from.columns[index];
    const row = new Float64Array(width);
    for (const { j, place } of used) row[place] = matrix[i * dimension + j] / publicUnit.scale;
    rows.set(name, row);
    for (const { place } of used) level[place] -= row[place] * publicUnit.center;
  });
  return (term, place) => {
    const row = rows.get(term) ?? (term === '(Intercept)' ? level : new Float64Array(width));
    if (place !== undefined) row[place] += 1;
    let variance = 0;
    row.forEach((left, i) => {
      if (left === 0) return;
      let half = (covariance[i * width + i] * left) / 2;
      for (let j = i + 1; j < width; j++) half += covariance[i * width + j] * row[j];
      variance += 2 * left * half;
    });
    return variance >= 0 ? Math.sqrt(variance) : undefined;
  };
}
