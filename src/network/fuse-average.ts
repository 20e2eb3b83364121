import { addTimes, allRows, orderedSites, type SiteWeights } from './site-weights.ts';

/** Σ n and Σ nW over sites: all that an average needs. */
export interface WeightSums {
  readonly rows: number;
  readonly weightSum: Float64Array;
}

/** The sums of some sites; those of one site are what it sends. */
export function weightSums(sites: readonly SiteWeights[]): WeightSums {
  const kept = orderedSites(sites);
  const weightSum = new Float64Array(kept[0].weights.length);
  for (const { rows, weights } of kept) addTimes(weightSum, rows, weights);
  return { rows: allRows(kept), weightSum };
}

/** The average of the sites' weights, Σ nW / Σ n (FedAvg after one round). */
export function averageNetwork({ rows, weightSum }: WeightSums): Float64Array {
  if (!(rows > 0)) throw new RangeError(`an average needs at least one row: ${rows}`);
  return weightSum.map((sum) => sum / rows);
}
