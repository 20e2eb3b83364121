import { diagonalFisher } from '../network/fisher-diagonal.ts';
import {
  type DiagonalSums,
  dampedDiagonal,
  descendDiagonal,
  fisherMerge,
  paperDiagonal,
} from '../network/fuse-diagonal.ts';
import type { NetworkPlan } from '../network/network-plan.ts';
import { vector } from '../statistic/segments.ts';
import { sentWeights, weightSegment, weightsText } from './average-kind.ts';
import type { NetworkKind, TrainedSite } from './network-kind.ts';
import { NETWORK_BITS, type NetworkSums } from './network-numbers.ts';
import { DESCENT_STEPS, drawnLabels, serverText } from './network-server.ts';
import type { FisherMergeFusion, FisherTerms, NetworkFisherFusion } from './network-terms.ts';

/** What is sent for a diagonal: the weights, the information of each, and their products. */
const diagonal = {
  needs: 'total',
  leaves: (plan: NetworkPlan) => [
    `${weightsText(plan)}, how much your rows tell about each of them (its Fisher information),`,
    'and the product of both',
  ],
  segments: (plan: NetworkPlan) => [
    weightSegment(plan),
    vector('information', plan.weights, NETWORK_BITS),
    vector('products', plan.weights, NETWORK_BITS),
  ],
  measure(site: TrainedSite, { labels }: NetworkFisherFusion | FisherMergeFusion) {
    const { plan, examples } = site;
    const drawn = drawnLabels(labels, site);
    const information = diagonalFisher(plan, site.weights, examples, drawn);
    const { weights } = sentWeights(site);
    const products = information.map((value, k) => value * weights[k]);
    return { weights, information, products };
  },
} as const;

function sumsIn(total: NetworkSums): DiagonalSums {
  return {
    rows: total.rows,
    weightSum: total.of('weights'),
    fisherSum: total.of('information'),
    productSum: total.of('products'),
  };
}

/** FedFisher with diagonal information. */
export const diagonalKind: NetworkKind<NetworkFisherFusion> = {
  ...diagonal,
  text: (terms) =>
    `each site’s own network, fused by diagonal Fisher information, ${serverText(terms)}`,
  fuse: ({ total }, network, plan, terms) => ({
    network,
    weights: fuseDiagonal(plan, sumsIn(total), terms),
  }),
};

/** The fused weights, by the study's server. */
export function fuseDiagonal(
  plan: NetworkPlan,
  sums: DiagonalSums,
  { server = 'damped', damping }: FisherTerms,
): Float64Array {
  const servers = {
    damped: () => dampedDiagonal(plan, sums, damping),
    paper: () => paperDiagonal(sums),
    descent: () => descendDiagonal(sums, { steps: DESCENT_STEPS }),
  };
  return servers[server]();
}

/** Fisher merging: every weight averaged by its information. */
export const mergeKind: NetworkKind<FisherMergeFusion> = {
  ...diagonal,
  text: () => 'each site’s own network, every weight averaged by its Fisher information',
  fuse: ({ total }, network) => ({ network, weights: fisherMerge(sumsIn(total)) }),
};
