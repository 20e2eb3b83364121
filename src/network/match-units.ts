import { naturalLog } from '../random/natural-log.ts';
import type { WordSource } from '../random/words.ts';
import { assignment } from './assignment.ts';
import type { LayerMatrix } from './unit-columns.ts';

/** Terms of the Bayesian matching; those of FedFisher's experiments unless given. */
export interface MatchingTerms {
  /** Variance of a site's unit around its global one. */
  readonly variance: number;
  /** Variance of the global units around the prior mean: 0 for weights, 0.1 for biases. */
  readonly priorVariance: number;
  /** How readily new units appear. */
  readonly gamma: number;
  /** Passes over the sites after the first one. */
  readonly sweeps: number;
}

/** Global units of one layer, and which of them each unit of each site became. */
export interface MatchedUnits {
  readonly units: LayerMatrix;
  readonly places: readonly Int32Array[];
}

const PRIOR_BIAS = 0.1;
const MOST_POPULAR = 10;
/** Units beyond which a site adds at most one more at a time. */
const MANY_UNITS = 700;

/** One global unit: how many sites have it, and Σ v/σ² + µ₀/σ₀² over them. */
interface Atom {
  count: number;
  readonly sum: Float64Array;
}

/**
 * Units of the sites matched to global ones (PFNM, Yurochkin et al. 2019): the first site gives the first units; each further one
 * is assigned to them or to new ones, whichever is more likely. Then all sites are matched again, in drawn orders.
 */
export function matchUnits(
  sites: readonly LayerMatrix[],
  bias: boolean,
  terms: MatchingTerms,
  random: WordSource,
): MatchedUnits {
  const { columns } = sites[0];
  const prior = new Float64Array(columns);
  if (bias) prior[columns - 1] = PRIOR_BIAS / terms.priorVariance;
  const places: (Int32Array | undefined)[] = sites.map(() => undefined);
  places[0] = Int32Array.from({ length: sites[0].rows }, (_, unit) => unit);
  const match = (site: number) => {
    places[site] = undefined;
    compact(places);
    const atoms = atomsOf(sites, places, prior, terms);
    places[site] = placeUnits(sites[site], atoms, prior, sites.length, terms);
  };
  for (let site = 1; site < sites.length; site++) match(site);
  for (let sweep = 0; sweep < terms.sweeps; sweep++) {
    for (const site of drawnOrder(sites.length, random)) match(site);
  }
  const final = places.map((own) => own ?? new Int32Array(0));
  const atoms = atomsOf(sites, final, prior, terms);
  const values = new Float64Array(atoms.length * columns);
  atoms.forEach(({ count, sum }, i) => {
    const precision = 1 / terms.priorVariance + count / terms.variance;
    sum.forEach((entry, k) => {
      values[i * columns + k] = entry / precision;
    });
  });
  return { units: { rows: atoms.length, columns, values }, places: final };
}

/** Numbers the global units again, without those that no site has any more; their order stays. */
function compact(places: readonly (Int32Array | undefined)[]): void {
  const used = [...new Set(places.flatMap((own) => Array.from(own ?? [])))].sort((a, b) => a - b);
  const numbers = new Map(used.map((old, fresh) => [old, fresh]));
  for (const own of places) {
    own?.forEach((old, unit) => {
      own[unit] = numbers.get(old) ?? 0;
    });
  }
}

function atomsOf(
  sites: readonly LayerMatrix[],
  places: readonly (Int32Array | undefined)[],
  prior: Float64Array,
  { variance }: MatchingTerms,
): readonly Atom[] {
  const atoms: Atom[] = [];
  places.forEach((own, site) => {
    const { columns, values } = sites[site];
    own?.forEach((place, unit) => {
      atoms[place] ??= { count: 0, sum: prior.slice() };
      const { sum } = atoms[place];
      atoms[place].count++;
      for (let k = 0; k < columns; k++) sum[k] += values[unit * columns + k] / variance;
    });
  });
  return atoms;
}

/** The most likely global unit of every unit of a site; those from `atoms.length` on are new. */
function placeUnits(
  { rows, columns, values }: LayerMatrix,
  atoms: readonly Atom[],
  prior: Float64Array,
  sites: number,
  { variance, priorVariance, gamma }: MatchingTerms,
): Int32Array {
  const fresh = Math.min(rows, Math.max(MANY_UNITS - atoms.length, rows - atoms.length, 1));
  const width = atoms.length + fresh;
  const costs = new Float64Array(rows * width);
  const norm = (unit: number, sum: Float64Array) => {
    let square = 0;
    for (let k = 0; k < columns; k++) {
      const entry = values[unit * columns + k] / variance + sum[k];
      square += entry * entry;
    }
    return square;
  };
  const precisionOf = (count: number) => 1 / priorVariance + count / variance;
  const squareOf = (sum: Float64Array) => sum.reduce((total, entry) => total + entry * entry, 0);
  atoms.forEach(({ count, sum }, i) => {
    const popular = Math.min(count, MOST_POPULAR);
    const fixed = naturalLog(popular / (sites - popular)) - squareOf(sum) / precisionOf(count);
    for (let unit = 0; unit < rows; unit++) {
      costs[unit * width + i] = -(norm(unit, sum) / precisionOf(count + 1) + fixed);
    }
  });
  const known = 2 * naturalLog(gamma / sites) - squareOf(prior) / precisionOf(0);
  for (let unit = 0; unit < rows; unit++) {
    const gain = norm(unit, prior) / precisionOf(1) + known;
    for (let k = 0; k < fresh; k++) {
      costs[unit * width + atoms.length + k] = -(gain - 2 * naturalLog(k + 1));
    }
  }
  const columnsOf = assignment(costs, rows, width);
  // New units are numbered in the order in which the site has them.
  let next = atoms.length;
  return columnsOf.map((place) => (place < atoms.length ? place : next++));
}

/** A drawn order of 0 … count − 1 (Fisher–Yates). */
function drawnOrder(count: number, random: WordSource): readonly number[] {
  const order = Array.from({ length: count }, (_, k) => k);
  for (let k = count - 1; k > 0; k--) {
    const other = random() % (k + 1);
    [order[k], order[other]] = [order[other], order[k]];
  }
  return order;
}
