import { layerGrams } from '../network/kfac.ts';
import type { NetworkPlan } from '../network/network-plan.ts';
import { regMean, regMeanSums } from '../network/regmean.ts';
import { triangle, vector } from '../statistic/segments.ts';
import { sentWeights, weightSegment, weightsText } from './average-kind.ts';
import type { NetworkKind } from './network-kind.ts';
import { NETWORK_BITS } from './network-numbers.ts';
import type { RegmeanFusion } from './network-terms.ts';
import { packedTriangle } from './packed-triangle.ts';

const productsOf = ({ blocks }: NetworkPlan) => blocks.map(({ name }) => `${name} inputs`);

/** RegMean: every layer by least squares on its inputs. Both sides of its normal equations are sums over sites. */
export const regmeanKind: NetworkKind<RegmeanFusion> = {
  text: ({ shrink = 0.9 }) =>
    `each site’s own network, fused layer by layer by least squares on the layers’ inputs (RegMean, off-diagonal products times ${shrink})`,
  leaves: (plan) => [
    `${weightsText(plan)}, for each layer the mean products of its inputs, and the weights times these.`,
    'The products of the first layer are those of your columns themselves.',
  ],
  needs: 'total',
  sendsProducts: true,
  segments: (plan) => [
    weightSegment(plan),
    vector('products', plan.weights, NETWORK_BITS),
    ...plan.blocks.map(({ name, columns }) => triangle(`${name} inputs`, columns, NETWORK_BITS)),
  ],
  measure(site, { shrink }) {
    const { plan, examples } = site;
    const sent = sentWeights(site);
    const grams = layerGrams(plan, site.weights, examples);
    const inputs = plan.blocks.map(({ columns }, k) => packedTriangle(grams[k], columns));
    const { inputSums, productSum } = regMeanSums(plan, [{ rows: 1, ...sent, inputs }], shrink);
    const products = productsOf(plan).map((name, k) => [name, inputSums[k]]);
    return { ...sent, products: productSum, ...Object.fromEntries(products) };
  },
  fuse: ({ total }, network, plan) => ({
    network,
    weights: regMean(plan, {
      rows: total.rows,
      weightSum: total.of('weights'),
      productSum: total.of('products'),
      inputSums: productsOf(plan).map((name) => total.of(name)),
    }),
  }),
};
