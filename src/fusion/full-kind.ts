import { DataError } from '../data-error.ts';
import { fullFisher, MOST_FULL_WEIGHTS } from '../network/fisher-full.ts';
import { dampedFull, descendFull, fullSums } from '../network/fuse-full.ts';
import { triangle, vector } from '../statistic/segments.ts';
import { sentWeights, weightSegment, weightsText } from './average-kind.ts';
import type { NetworkKind } from './network-kind.ts';
import { NETWORK_BITS } from './network-numbers.ts';
import { DESCENT_STEPS, drawnLabels, serverText } from './network-server.ts';
import type { NetworkFisherFusion } from './network-terms.ts';

/** FedFisher with the whole information matrix, for small networks. */
export const fullKind: NetworkKind<NetworkFisherFusion> = {
  text: (terms) =>
    `each site’s own network, fused by its whole Fisher information, ${serverText(terms)}`,
  leaves: (plan) => [
    `${weightsText(plan)}, how much your rows tell about each of them and each two together`,
    '(their Fisher information), and the product of both',
  ],
  refuse(plan, { server, compression }) {
    if (compression !== undefined) {
      throw new DataError(
        'the whole information of a network is not compressed',
        {},
        'leave out "compression", or choose fisher-kfac or fisher-diagonal',
      );
    }
    if (plan.weights > MOST_FULL_WEIGHTS) {
      throw new DataError(
        `the network has ${plan.weights} weights, and its whole information is sent for at most ${MOST_FULL_WEIGHTS}`,
        {},
        'choose fisher-kfac or fisher-diagonal, or a smaller network',
      );
    }
    if (server !== 'paper') return;
    throw new DataError(
      'the paper’s optimiser is for diagonal information and Kronecker factors',
      {},
      'choose the server "damped" or "descent"',
    );
  },
  needs: 'total',
  segments: (plan) => [
    weightSegment(plan),
    triangle('information', plan.weights, NETWORK_BITS),
    vector('products', plan.weights, NETWORK_BITS),
  ],
  measure(site, { labels }) {
    const { plan, weights, examples } = site;
    const sent = sentWeights(site);
    const fisher = fullFisher(plan, weights, examples, drawnLabels(labels, site));
    const { productSum } = fullSums([{ rows: 1, ...sent, fisher }]);
    return { ...sent, information: fisher, products: productSum };
  },
  fuse({ total }, network, plan, { server = 'damped', damping }) {
    const sums = {
      rows: total.rows,
      weightSum: total.of('weights'),
      fisherSum: total.of('information'),
      productSum: total.of('products'),
    };
    const weights =
      server === 'damped'
        ? dampedFull(plan, sums, damping)
        : descendFull(sums, { steps: DESCENT_STEPS });
    return { network, weights };
  },
};
