import { averageBits, kfacWidths, layerBits, rankWithin } from '../network/bit-budget.ts';
import { compressFactor, eigenBits, restoredFactor } from '../network/compress-factor.ts';
import { diagonalFisher } from '../network/fisher-diagonal.ts';
import { diagonalSums } from '../network/fuse-diagonal.ts';
import { kfacFactors } from '../network/kfac.ts';
import type { NetworkPlan } from '../network/network-plan.ts';
import { quantiseLayers, restoredLayers } from '../network/quantise.ts';
import type { SiteWeights } from '../network/site-weights.ts';
import type { Segment } from '../statistic/segments.ts';
import { grouped } from '../text/number-text.ts';
import { weightsText } from './average-kind.ts';
import { fuseDiagonal } from './diagonal-kinds.ts';
import { fuseKfac, kfacKind } from './kfac-kind.ts';
import type { FusedNetwork, NetworkKind } from './network-kind.ts';
import type { NetworkSums } from './network-numbers.ts';
import { drawnLabels, serverText } from './network-server.ts';
import type { NetworkFisherFusion } from './network-terms.ts';
import { packedTriangle } from './packed-triangle.ts';
import {
  countSegment,
  fullCompression,
  levelSegments,
  receivedLevels,
  sentLevels,
  whyNotReceived,
} from './sent-levels.ts';

type Terms = NetworkFisherFusion;

/** Bits of an eigenvalue: with those of the vectors, all below 1/255 of the largest would be lost. */
const VALUE_BITS = 32;

const termsOf = ({ compression = {} }: Terms) => fullCompression(compression);

/** Vectors kept of a factor: as asked, or as many as fit beside the weights into the bits of an average. */
function rankOf(plan: NetworkPlan, terms: Terms): number {
  const { bits, factorBits } = termsOf(terms);
  const left = averageBits(plan) - layerBits(plan, bits);
  const fits = () => rankWithin(kfacWidths(plan), left, eigenBits(factorBits, VALUE_BITS));
  return terms.compression?.rank ?? Math.max(1, fits());
}

/** Numbers in the order of the weights, quantised layer by layer. */
function layerSegments({ blocks }: NetworkPlan, prefix: string, bits: number): Segment[] {
  return blocks.flatMap(({ name, rows, columns }) =>
    levelSegments(`${prefix} ${name}`, rows * columns, bits),
  );
}

function sentLayers(
  plan: NetworkPlan,
  prefix: string,
  values: Float64Array,
  terms: Terms,
): Readonly<Record<string, Float64Array>> {
  const { bits, rounding } = termsOf(terms);
  const layers = quantiseLayers(plan, values, bits, rounding);
  const sent = plan.blocks.map(({ name }, k) => sentLevels(`${prefix} ${name}`, layers[k]));
  return Object.assign({}, ...sent);
}

function receivedLayers(
  plan: NetworkPlan,
  sums: NetworkSums,
  prefix: string,
  terms: Terms,
): Float64Array {
  const { bits } = termsOf(terms);
  const layers = plan.blocks.map(({ name }) => receivedLevels(sums, `${prefix} ${name}`, bits));
  return restoredLayers(plan, layers);
}

function receivedSite(plan: NetworkPlan, sums: NetworkSums, terms: Terms): SiteWeights {
  return { rows: sums.rows, weights: receivedLayers(plan, sums, 'weights', terms) };
}

function fused<Site extends SiteWeights>(
  sent: readonly NetworkSums[],
  site: (sums: NetworkSums) => Site,
  fuse: (sites: readonly Site[]) => FusedNetwork,
): ReturnType<NetworkKind<Terms>['fuse']> {
  const problem = whyNotReceived(sent);
  if (problem !== undefined) {
    return { problem, remedy: 'ask the site to replace its contribution by one of all its rows' };
  }
  return fuse(sent.map(site));
}

/** FedFisher (Diag) in fewer bits. */
export const compressedDiagonalKind: NetworkKind<Terms> = {
  text: (terms) =>
    `each site’s own network, fused by diagonal Fisher information in ${termsOf(terms).bits} bits a number, ${serverText(terms)}`,
  leaves: (plan, terms) => [
    `${weightsText(plan)} and how much your rows tell about each of them (its Fisher information), in ${termsOf(terms).bits} bits each.`,
  ],
  needs: 'sites',
  segments(plan, terms) {
    const { bits } = termsOf(terms);
    return [
      countSegment,
      ...layerSegments(plan, 'weights', bits),
      ...layerSegments(plan, 'information', bits),
    ];
  },
  measure(site, terms) {
    const { plan, weights, examples } = site;
    const information = diagonalFisher(plan, weights, examples, drawnLabels(terms.labels, site));
    return {
      [countSegment.name]: Float64Array.of(1),
      ...sentLayers(plan, 'weights', Float64Array.from(weights), terms),
      ...sentLayers(plan, 'information', information, terms),
    };
  },
  fuse: ({ sites }, network, plan, terms) =>
    fused(
      sites,
      (sums) => ({
        ...receivedSite(plan, sums, terms),
        fisher: receivedLayers(plan, sums, 'information', terms),
      }),
      (all) => ({ network, weights: fuseDiagonal(plan, diagonalSums(all), terms) }),
    ),
};

/** The factors of a plan: their names and widths. */
function factorsIn({ blocks }: NetworkPlan) {
  return blocks.flatMap(({ name, rows, columns, index }) => [
    { name: `${name} inputs`, width: columns, index, side: 'inputs' as const },
    { name: `${name} outputs`, width: rows, index, side: 'outputs' as const },
  ]);
}

/** FedFisher (K-FAC) in the bits of an average: weights and eigenvectors of the factors, which are symmetric and so sent once. */
export const compressedKfacKind: NetworkKind<Terms> = {
  text: (terms) => `${kfacKind.text(terms)}; compressed`,
  leaves(plan, terms) {
    const { bits, factorBits } = termsOf(terms);
    return [
      `${weightsText(plan)} in ${bits} bits each, and for each layer the ${grouped(rankOf(plan, terms))} largest parts of the mean products`,
      `of its inputs and of the gradients at its outputs, in ${factorBits} bits a number.`,
    ];
  },
  needs: 'sites',
  sendsProducts: true,
  segments(plan, terms) {
    const { bits, factorBits } = termsOf(terms);
    const rank = rankOf(plan, terms);
    return [
      countSegment,
      ...layerSegments(plan, 'weights', bits),
      ...factorsIn(plan).flatMap(({ name, width }) => [
        ...levelSegments(`${name} values`, Math.min(rank, width), VALUE_BITS),
        ...levelSegments(`${name} vectors`, Math.min(rank, width) * width, factorBits),
      ]),
    ];
  },
  measure(site, terms) {
    const { plan, weights, examples } = site;
    const { factorBits, rounding } = termsOf(terms);
    const rank = rankOf(plan, terms);
    const factors = kfacFactors(plan, weights, examples, drawnLabels(terms.labels, site));
    const sent = factorsIn(plan).map(({ name, width, index, side }) => {
      const packed = packedTriangle(factors[index][side], width);
      const { values, vectors } = compressFactor(
        packed,
        width,
        rank,
        factorBits,
        rounding,
        VALUE_BITS,
      );
      return {
        ...sentLevels(`${name} values`, values),
        ...sentLevels(`${name} vectors`, vectors),
      };
    });
    return {
      [countSegment.name]: Float64Array.of(1),
      ...sentLayers(plan, 'weights', Float64Array.from(weights), terms),
      ...Object.assign({}, ...sent),
    };
  },
  fuse: ({ sites }, network, plan, terms) =>
    fused(
      sites,
      (sums) => {
        const { factorBits } = termsOf(terms);
        const received = factorsIn(plan).map(({ name, width }) =>
          restoredFactor({
            width,
            values: receivedLevels(sums, `${name} values`, VALUE_BITS),
            vectors: receivedLevels(sums, `${name} vectors`, factorBits),
          }),
        );
        const factors = plan.blocks.map((_, k) => ({
          inputs: received[2 * k],
          outputs: received[2 * k + 1],
        }));
        return { ...receivedSite(plan, sums, terms), factors };
      },
      (all) => ({ network, weights: fuseKfac(plan, all, terms) }),
    ),
};
