import { defined } from '../defined.ts';
import type { Design, MappedDesign } from '../features/design.ts';
import { mappedColumns, mappedNames } from '../features/mapped-columns.ts';
import { dd, ddAdd, ddScale, twoProduct } from '../numeric/double-double.ts';
import type { OriginalRow } from './inference.ts';
import type { Report } from './report.ts';
import { mapFacts } from './reported-map.ts';

/** Coefficients of a mapped design, and their covariance where known. */
export interface MappedCoefficients {
  readonly terms: readonly string[];
  readonly estimates: Float64Array;
  /** Row-major over the terms. */
  covariance(): Float64Array | undefined;
}

/** Most products for standard errors of the original columns: about a quarter of a second. */
const MOST_PRODUCTS = 2e8;

/**
 * The report with its feature map and, where the map is linear, the coefficients of the formula's columns: a linear
 * model of Ru is one of u, with coefficients R·w.
 */
export function withOriginal(
  report: Report,
  design: Design,
  models: readonly MappedCoefficients[],
): Report {
  const { mapped } = design;
  const known = mappedNames(design);
  if (mapped === undefined || !models.some(({ terms }) => terms.some((t) => known.has(t)))) {
    return report;
  }
  const facts = mapFacts(mapped.terms, mapped.columns.length);
  const linear = linearMap(design);
  if (linear === undefined) return { ...report, ...facts };
  const originals = models.map((model) => unfold(linear, model));
  return report.responses === undefined
    ? { ...report, ...facts, original: originals[0] }
    : {
        ...report,
        ...facts,
        responses: report.responses.map((one, r) => ({ ...one, original: originals[r] })),
      };
}

/** A linear map: its weights, and the names of its columns. */
export interface LinearMap extends Pick<MappedDesign, 'from' | 'columns'> {
  /** Row-major, a row for each of `columns`. */
  readonly weights: Float64Array;
  readonly names: readonly string[];
}

/** The map of a design, where it has one and it is linear. */
export function linearMap(design: Design): LinearMap | undefined {
  const { mapped } = design;
  if (mapped?.weights === undefined) return undefined;
  const { from, columns } = mapped;
  const names = mappedColumns(design).map(({ name }) => name);
  return { from, columns, weights: mapped.weights(), names };
}

/** Coefficients of the formula's columns, in the user's units and R's order; site effects last. */
export function unfold(map: LinearMap, model: MappedCoefficients): OriginalRow[] {
  const { from, columns, weights, names: made } = map;
  const places = new Map(model.terms.map((term, place) => [term, place]));
  // Aliased columns have no coefficient and count as 0.
  const used = made.flatMap((name, j) => {
    const place = places.get(name);
    return place === undefined ? [] : [{ j, place }];
  });
  const slopes = new Map<string, number>();
  let shift = dd(0);
  columns.forEach((index, i) => {
    const { name, publicUnit } = from.columns[index];
    let sum = dd(0);
    for (const { j, place } of used) {
      sum = ddAdd(sum, twoProduct(weights[i * made.length + j], model.estimates[place]));
    }
    const slope = sum.hi / publicUnit.scale;
    slopes.set(name, slope);
    shift = ddAdd(shift, twoProduct(slope, publicUnit.center));
  });
  const unmapped = (term: string, place: number) => {
    const own = model.estimates[place];
    return term === '(Intercept)' ? ddAdd(dd(own), ddScale(shift, -1)).hi : own;
  };
  const errors = standardErrors(map, model, used);
  const own = from.columns.slice(0, from.columns.length - from.responses);
  const known = new Set([...own.map(({ name }) => name), ...made]);
  const others = model.terms.filter((term) => !known.has(term));
  return [...own.map(({ name }) => name), ...others].flatMap((term) => {
    const place = places.get(term);
    const slope = slopes.get(term);
    const estimate = slope ?? (place === undefined ? undefined : unmapped(term, place));
    if (estimate === undefined) return [];
    const error = errors?.(term, place);
    return [{ term, estimate, ...defined({ 'std.error': error }) }];
  });
}

type ErrorOf = (term: string, place: number | undefined) => number | undefined;

/** √(a C aᵀ), where a holds the weights of the model's coefficients; undefined where that would take too long. */
function standardErrors(
  { from, columns, weights, names }: LinearMap,
  model: MappedCoefficients,
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
    for (const { j, place } of used) row[place] = weights[i * names.length + j] / publicUnit.scale;
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
