import type { NetworkPlan, WeightBlock } from './network-plan.ts';
import { orderedSites, type SiteWeights } from './site-weights.ts';

/** A site's weights with the number of its rows of every class. */
export interface CountedSite extends SiteWeights {
  readonly classCounts: Float64Array;
}

/** Sums over sites: the rows of every class, Σ n_c, and the last layer with row c times n_c. */
export interface ClassSums {
  readonly classCounts: Float64Array;
  readonly lastLayerSum: Float64Array;
}

/** The sums of some sites; those of one site are what it sends. */
export function classSums(plan: NetworkPlan, sites: readonly CountedSite[]): ClassSums {
  const { start, rows, columns } = lastBlock(plan);
  const classCounts = new Float64Array(rows);
  const lastLayerSum = new Float64Array(rows * columns);
  for (const { weights, classCounts: own } of orderedSites(sites)) {
    for (let c = 0; c < rows; c++) {
      classCounts[c] += own[c];
      for (let k = c * columns; k < (c + 1) * columns; k++) {
        lastLayerSum[k] += own[c] * weights[start + k];
      }
    }
  }
  return { classCounts, lastLayerSum };
}

/**
 * The weights with another last layer: the row of a class is the average of the sites' rows, weighted by their counts of that
 * class. A class that no site has keeps its row. A site that never saw a class says nothing about it.
 */
export function withClassWeights(
  plan: NetworkPlan,
  weights: Float64Array,
  { classCounts, lastLayerSum }: ClassSums,
): Float64Array {
  const { start, columns } = lastBlock(plan);
  const result = weights.slice();
  classCounts.forEach((count, c) => {
    if (!(count > 0)) return;
    for (let k = c * columns; k < (c + 1) * columns; k++) {
      result[start + k] = lastLayerSum[k] / count;
    }
  });
  return result;
}

function lastBlock({ blocks }: NetworkPlan): WeightBlock {
  return blocks[blocks.length - 1];
}
