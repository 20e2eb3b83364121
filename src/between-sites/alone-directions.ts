import type { SymmetricEigen } from '../numeric/eigen.ts';
import { crossProducts, type NormalEquations } from '../solve/normal-equations.ts';
import type { LinearSiteStatistic } from '../statistic/site-statistics.ts';
import { eigenOf, sandwiched, spectrumOf } from './symmetric-matrix.ts';

/** A direction in which one site has nearly all the information. */
export interface AloneDirection {
  readonly site: string;
  /** Share of the direction's information, about the pooled means, that is the site's. */
  readonly share: number;
  /** The direction, per SD of the columns; largest weights first. */
  readonly direction: readonly { readonly term: string; readonly weight: number }[];
}

const ALONE = 0.99;
const ROUNDING = 1e-12; // share of the largest eigenvalue below which one counts as 0
const SMALLEST_WEIGHT = 0.05; // of the largest, to be named in a direction

/** Eigenvectors of S_k v = μ S v with μ near 1, S_k about the pooled means so that Σ S_k = S. */
export function aloneDirections(
  { layout, means, equilibration }: NormalEquations,
  kept: readonly number[],
  sizes: Float64Array,
  sites: readonly LinearSiteStatistic[],
): AloneDirection[] {
  const rank = kept.length;
  if (rank === 0) return [];
  const matrices = sites.map(({ statistic }) => {
    const sums = crossProducts(statistic);
    const mean = (i: number) => (layout.intercept ? means.hi[i] : 0);
    const at = (i: number, j: number) => sums.hi[i * sums.width + j];
    const own = new Float64Array(rank * rank);
    kept.forEach((i, a) => {
      kept.forEach((j, b) => {
        const raw =
          at(i + 1, j + 1) -
          mean(i) * at(0, j + 1) -
          mean(j) * at(0, i + 1) +
          mean(i) * mean(j) * at(0, 0);
        own[a * rank + b] = (raw * equilibration[i] * equilibration[j]) / (sizes[i] * sizes[j]);
      });
    });
    return own;
  });
  const whole = new Float64Array(rank * rank);
  for (const matrix of matrices) {
    for (let at = 0; at < whole.length; at++) whole[at] += matrix[at];
  }
  const root = inverseRoot(eigenOf(whole, rank), rank);
  return sites.flatMap(({ site }, k) => {
    const turned = sandwiched(root, matrices[k], rank);
    if (!(spectrumOf(turned, rank)[rank - 1] > ALONE)) return []; // eigenvectors cost most
    const { values, vectors } = eigenOf(turned, rank);
    const near = [...values.keys()].filter((j) => values[j] > ALONE);
    const directions = near.map((j) =>
      Float64Array.from({ length: rank }, (_, i) => {
        let sum = 0;
        for (let m = 0; m < rank; m++) sum += root[i * rank + m] * vectors[m * rank + j];
        return sum;
      }),
    );
    return sparseBasis(directions).map((direction) => ({
      site,
      share: Math.min(1, form(matrices[k], direction) / form(whole, direction)),
      direction: named(direction, (i) => layout.columns[kept[i] + 1]),
    }));
  });
}

/** A^(−½), without the directions in which A is rounding. */
function inverseRoot({ values, vectors }: SymmetricEigen, width: number): Float64Array {
  const largest = values[width - 1];
  const roots = values.map((value) => (value > ROUNDING * largest ? 1 / Math.sqrt(value) : 0));
  return Float64Array.from({ length: width * width }, (_, at) => {
    const [i, j] = [Math.floor(at / width) * width, (at % width) * width];
    let sum = 0;
    for (let k = 0; k < width; k++) sum += vectors[i + k] * roots[k] * vectors[j + k];
    return sum;
  });
}

/** vᵀAv. */
function form(matrix: Float64Array, v: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < v.length; i++) {
    for (let j = 0; j < v.length; j++) sum += matrix[i * v.length + j] * v[i] * v[j];
  }
  return sum;
}

function named(
  direction: Float64Array,
  nameOf: (i: number) => string,
): { term: string; weight: number }[] {
  const length = Math.hypot(...direction);
  const weights = Array.from(direction, (w, i) => ({ term: nameOf(i), weight: w / length }));
  weights.sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight));
  const least = SMALLEST_WEIGHT * Math.abs(weights[0].weight);
  return weights.filter(({ weight }) => Math.abs(weight) >= least);
}

/** A basis of the same space with few nonzero entries, by elimination with pivots. */
function sparseBasis(vectors: readonly Float64Array[]): Float64Array[] {
  const basis = vectors.map((vector) => vector.slice());
  const used = new Set<number>();
  basis.forEach((vector, at) => {
    let pivot = -1;
    vector.forEach((value, i) => {
      const better = pivot < 0 || Math.abs(value) > Math.abs(vector[pivot]);
      if (!used.has(i) && better) pivot = i;
    });
    if (pivot < 0 || vector[pivot] === 0) return;
    used.add(pivot);
    basis.forEach((other, k) => {
      if (k === at) return;
      const factor = other[pivot] / vector[pivot];
      for (let i = 0; i < other.length; i++) other[i] -= factor * vector[i];
      other[pivot] = 0;
    });
  });
  return basis;
}
