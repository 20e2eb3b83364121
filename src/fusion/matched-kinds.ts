import { otFusion } from '../network/otfusion.ts';
import { pfnm } from '../network/pfnm.ts';
import { sentWeights, siteWeights, weightSegment, weightsText } from './average-kind.ts';
import { CLASS_ROWS } from './class-layer.ts';
import type { NetworkKind } from './network-kind.ts';
import type { MatchedFusion } from './network-terms.ts';

const matched: Omit<NetworkKind<MatchedFusion>, 'text' | 'fuse'> = {
  leaves: (plan) => [weightsText(plan)],
  needs: 'sites',
  segments: (plan) => [weightSegment(plan)],
  measure: sentWeights,
};

/** OTFusion: hidden units are brought into one order before they are averaged. */
export const otFusionKind: NetworkKind<MatchedFusion> = {
  ...matched,
  text: ({ starts = 'shared' }) =>
    starts === 'shared'
      ? 'each site’s own network, averaged after its hidden units were matched (with shared first weights this is the average)'
      : 'each site’s own network from first weights of its own, averaged after its hidden units were matched',
  fuse: ({ sites }, network, plan) => ({
    network,
    weights: otFusion(plan, sites.map(siteWeights)),
  }),
};

/** PFNM: hidden units are matched where they fit, and kept beside each other where they do not. */
export const pfnmKind: NetworkKind<MatchedFusion> = {
  ...matched,
  text: () =>
    'each site’s own network, hidden units matched by a Bayesian model; the network grows',
  fuse: ({ sites }, network, plan, { lastLayer }) =>
    pfnm(
      network,
      plan,
      sites.map((sums) => ({
        ...siteWeights(sums),
        ...(lastLayer === undefined ? {} : { classCounts: sums.of(CLASS_ROWS) }),
      })),
    ),
};
