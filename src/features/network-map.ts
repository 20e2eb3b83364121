import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { hiddenPlan } from '../network/hidden-plan.ts';
import { digestJson } from '../study/digest.ts';
import type { Design } from './design.ts';
import type { FeatureMap } from './feature-map.ts';
import { type MadeColumns, mapDesign } from './map-design.ts';
import { mappedReference } from './mapped-reference.ts';
import { networkInputs, pixelScales } from './network-inputs.ts';
import { networkRanges } from './network-intervals.ts';
import { networkMapper } from './network-mapper.ts';
import { hiddenWeights, type NetworkFeature, networkFeatureSchema } from './network-terms.ts';
import { writeNetwork } from './network-write.ts';

const NETWORK = 'network';

/**
 * Columns `network1` …: what the last layer of a network takes, in single precision. Their bounds are by interval arithmetic, which
 * is wide: some thousand times what values usually are after four layers. So sums need a grid of 44 bits.
 */
export const networkMap: FeatureMap<NetworkFeature> = {
  kind: 'network',
  opaque: true,
  noun: 'network',
  verb: 'run through the network',
  made: { one: 'network feature', many: 'network features' },
  width: ({ dimension }) => dimension,
  text: ({ dimension }) =>
    dimension === 1 ? '1 network feature' : `${dimension} network features`,
  choices: (terms) => `${layersText(terms)}, weights ${weightsDigest(terms)}`,
  loss: () => 'what the layers do not see is lost',
  coding: () => 'one-hot',
  apply: (design, terms) => mapDesign(design, networkMap, terms, () => penultimate(design, terms)),
  schema: networkFeatureSchema,
};

function layersText({ network: { layers } }: NetworkFeature): string {
  const count = layers.filter(({ kind }) => kind === 'dense' || kind === 'convolution').length;
  return count === 1 ? '1 layer with weights' : `${count} layers with weights`;
}

/** Weights are long, and their digest is asked for often. */
const digests = new WeakMap<NetworkFeature, string>();

function weightsDigest(terms: NetworkFeature): string {
  const known = digests.get(terms);
  if (known !== undefined) return known;
  const { network, weights } = terms;
  const digest = digestJson({ network, weights });
  digests.set(terms, digest);
  return digest;
}

function penultimate(design: Design, terms: NetworkFeature): MadeColumns {
  const { network } = terms;
  const inputs = networkInputs(design, network);
  const plan = hiddenPlan(network, inputs.shape);
  const weights = hiddenWeights(terms, plan);
  const { image } = design;
  const pixels = image && {
    image,
    scales: pixelScales(network, image),
    unit: design.columns[inputs.columns[0]].publicUnit,
  };
  return {
    term: NETWORK,
    columns: networkRanges(plan, weights, inputs.intervals).map(({ low, high, square }, j) => {
      const name = `${NETWORK}${j + 1}`;
      const interval = { low, high };
      if (!Number.isFinite(high - low)) throw tooLarge(name);
      // About 0 also with an intercept: most values are far nearer to 0 than to the middle.
      const reference = mappedReference(interval, false);
      // Inputs hang together, and training makes weights fit them: between unrelated inputs and the largest value.
      const usual = Math.sqrt(Math.sqrt(square) * Math.max(-low, high));
      return {
        name,
        reference,
        publicUnit: { center: 0, scale: usual || 1 },
        interval,
      };
    }),
    mapper: () => networkMapper(network, weights, inputs),
    write: (writer) => writeNetwork(writer, { plan, weights, ...defined({ pixels }) }),
  };
}

function tooLarge(name: string): DataError {
  return new DataError(
    `${name} can become too large to hold`,
    {},
    'train the network with smaller steps, or with fewer layers',
  );
}
