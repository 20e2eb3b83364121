import { dampedKfac, descendKfac, type KfacSite, paperKfac } from '../network/fuse-kfac.ts';
import { kfacFactors } from '../network/kfac.ts';
import type { NetworkPlan } from '../network/network-plan.ts';
import { triangle } from '../statistic/segments.ts';
import { perRow, sentWeights, siteWeights, weightSegment, weightsText } from './average-kind.ts';
import type { NetworkKind } from './network-kind.ts';
import { NETWORK_BITS, type NetworkSums } from './network-numbers.ts';
import { DESCENT_STEPS, drawnLabels, serverText } from './network-server.ts';
import type { FisherTerms, NetworkFisherFusion } from './network-terms.ts';
import { packedTriangle } from './packed-triangle.ts';

const inputsOf = (name: string) => `${name} inputs`;
const outputsOf = (name: string) => `${name} outputs`;

/** FedFisher with Kronecker factors, layer by layer. The factors of a site cannot be added to those of another. */
export const kfacKind: NetworkKind<NetworkFisherFusion> = {
  text: (terms) =>
    `each site’s own network, fused by Kronecker factors of its Fisher information, ${serverText(terms)}`,
  leaves: (plan) => [
    `${weightsText(plan)}, and for each layer the mean products of its inputs`,
    'and of the gradients at its outputs. The products of the first layer are those of your columns themselves.',
  ],
  needs: 'sites',
  sendsProducts: true,
  segments: (plan) => [
    weightSegment(plan),
    ...plan.blocks.flatMap(({ name, rows, columns }) => [
      triangle(inputsOf(name), columns, NETWORK_BITS),
      triangle(outputsOf(name), rows, NETWORK_BITS),
    ]),
  ],
  measure(site, { labels }) {
    const { plan, weights, examples } = site;
    const factors = kfacFactors(plan, weights, examples, drawnLabels(labels, site));
    const sent = plan.blocks.flatMap(({ name, rows, columns }, k) => [
      [inputsOf(name), packedTriangle(factors[k].inputs, columns)],
      [outputsOf(name), packedTriangle(factors[k].outputs, rows)],
    ]);
    return { ...sentWeights(site), ...Object.fromEntries(sent) };
  },
  fuse: ({ sites }, network, plan, terms) => ({
    network,
    weights: fuseKfac(
      plan,
      sites.map((sums) => kfacSite(sums, plan)),
      terms,
    ),
  }),
};

/** The fused weights, by the study's server. */
export function fuseKfac(
  plan: NetworkPlan,
  sites: readonly KfacSite[],
  { server = 'damped', damping }: FisherTerms,
): Float64Array {
  const servers = {
    damped: () => dampedKfac(plan, sites, damping),
    paper: () => paperKfac(plan, sites),
    descent: () => descendKfac(plan, sites, { steps: DESCENT_STEPS }),
  };
  return servers[server]();
}

function kfacSite(sums: NetworkSums, { blocks }: NetworkPlan): KfacSite {
  return {
    ...siteWeights(sums),
    factors: blocks.map(({ name }) => ({
      inputs: perRow(sums, inputsOf(name)),
      outputs: perRow(sums, outputsOf(name)),
    })),
  };
}
