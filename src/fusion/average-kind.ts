import { averageNetwork } from '../network/fuse-average.ts';
import type { NetworkPlan } from '../network/network-plan.ts';
import type { SiteWeights } from '../network/site-weights.ts';
import type { Segment } from '../statistic/segments.ts';
import { vector } from '../statistic/segments.ts';
import { grouped } from '../text/number-text.ts';
import type { NetworkKind, TrainedSite } from './network-kind.ts';
import { NETWORK_BITS, type NetworkSums } from './network-numbers.ts';
import type { NetworkAverageFusion } from './network-terms.ts';

/** The segment of all weights. */
export function weightSegment({ weights }: NetworkPlan): Segment {
  return vector('weights', weights, NETWORK_BITS);
}

/** The weights as sent, per row: times the rows, they are summed. */
export function sentWeights({ weights }: TrainedSite): { readonly weights: Float64Array } {
  return { weights: Float64Array.from(weights) };
}

/** The weights of one site. */
export function siteWeights(sums: NetworkSums): SiteWeights {
  const { rows } = sums;
  return { rows, weights: rows === 0 ? sums.of('weights') : perRow(sums, 'weights') };
}

/** A segment divided by the number of rows. */
export function perRow(sums: NetworkSums, name: string): Float64Array {
  return sums.of(name).map((sum) => sum / sums.rows);
}

/** What weights are, for people. */
export function weightsText({ weights }: NetworkPlan): string {
  return `the ${grouped(weights)} weights of your own network`;
}

/** FedAvg after one round: the average of the sites' weights. */
export const networkAverageKind: NetworkKind<NetworkAverageFusion> = {
  text: () => 'each site’s own network, averaged by rows (not the network of the pooled rows)',
  leaves: (plan) => [weightsText(plan)],
  needs: 'total',
  segments: (plan) => [weightSegment(plan)],
  measure: sentWeights,
  fuse: ({ total }, network) => ({
    network,
    weights: averageNetwork({ rows: total.rows, weightSum: total.of('weights') }),
  }),
};
