import type { Kernels } from '../numeric/kernels.ts';
import { inverseOf, type SampleFit } from './sample-fit.ts';
import type { SampleMoments } from './sample-moments.ts';

/** A term of the formula, its columns, and what leaving it out would cost for each of them. */
interface Scored {
  readonly term: string;
  readonly columns: readonly number[];
  readonly score: number;
}

/**
 * Terms of the sample's fit that matter most, as long as their columns are at most `most`; at least one. A term's score is the
 * largest w²/(S⁻¹)ᵢᵢ of its columns: what the residual variance gains when that column is left out.
 */
export function screenedTerms(
  kernels: Kernels,
  sample: SampleMoments,
  { weights }: SampleFit,
  most: number,
): { readonly terms: readonly string[]; readonly columns: readonly number[] } {
  const { predictors, covariance, variances } = sample;
  const d = predictors.length;
  const inverse = inverseOf(kernels, covariance, d);
  const columnScore = (i: number) =>
    weights.reduce((sum, w, r) => sum + w[i] ** 2 / (inverse[i * d + i] * variances[r]), 0);
  const byTerm = new Map<string, number[]>();
  predictors.forEach(({ term }, i) => {
    byTerm.set(term, [...(byTerm.get(term) ?? []), i]);
  });
  const scored: Scored[] = [...byTerm].map(([term, columns]) => {
    return { term, columns, score: Math.max(...columns.map(columnScore)) };
  });
  scored.sort((a, b) => b.score - a.score);
  const kept: Scored[] = [];
  let used = 0;
  for (const one of scored) {
    if (kept.length > 0 && used + one.columns.length > most) continue;
    kept.push(one);
    used += one.columns.length;
  }
  const columns = kept.flatMap((one) => one.columns).sort((a, b) => a - b);
  return { terms: kept.map(({ term }) => term), columns };
}
