import { seededWords } from '../random/seeded-words.ts';
import { type MatchingTerms, matchUnits } from './match-units.ts';
import type { Network, NetworkLayer } from './network.ts';
import type { NetworkPlan } from './network-plan.ts';
import { allRows, orderedSites, type SiteWeights } from './site-weights.ts';
import {
  columnsOfUnit,
  type LayerMatrix,
  layerMatrix,
  moveColumns,
  weightLayers,
} from './unit-columns.ts';

/** A site's weights, with the number of its rows of every class if the study asks for it. */
export interface MatchedSite extends SiteWeights {
  readonly classCounts?: Float64Array;
}

/** A network with more units than those of the sites, and its weights. */
export interface GrownNetwork {
  readonly network: Network;
  readonly weights: Float64Array;
}

/** How units are matched; the seed draws the order of the sites. */
export type PfnmTerms = MatchingTerms & { readonly seed: number };

const USUAL_TERMS: PfnmTerms = { variance: 1, priorVariance: 1, gamma: 7, sweeps: 5, seed: 1 };

/**
 * PFNM (Yurochkin et al. 2019; layer by layer as Wang et al. 2020): hidden units of the sites are matched to global ones, whose
 * number grows where they do not fit. The last layer is averaged, each class by the sites' counts of it, or by rows where a
 * site sends no counts.
 */
export function pfnm(
  network: Network,
  plan: NetworkPlan,
  sites: readonly MatchedSite[],
  terms: Partial<PfnmTerms> = {},
): GrownNetwork {
  const full = { ...USUAL_TERMS, ...terms };
  const random = seededWords(full.seed);
  const kept = orderedSites(sites);
  const layers = weightLayers(plan);
  const matrices: LayerMatrix[] = [];
  let places: readonly Int32Array[] | undefined;
  layers.forEach(({ weights: block, from }, at) => {
    const units = matrices[at - 1]?.rows ?? 0;
    const own = kept.map(({ weights }, site) => {
      const matrix = layerMatrix(weights, block);
      if (places === undefined) return matrix;
      return moveColumns(matrix, places[site], units, columnsOfUnit(block, from));
    });
    if (at === layers.length - 1) {
      matrices.push(lastLayer(own, kept));
      return;
    }
    const matched = matchUnits(own, block.bias, full, random);
    matrices.push(matched.units);
    places = matched.places;
  });
  const weights = new Float64Array(matrices.reduce((sum, { values }) => sum + values.length, 0));
  let start = 0;
  for (const { values } of matrices) {
    weights.set(values, start);
    start += values.length;
  }
  return { network: { ...network, layers: grown(network.layers, matrices) }, weights };
}

/** The average of the last layers: each row by the counts of its class, or by the sites' rows. */
function lastLayer(own: readonly LayerMatrix[], sites: readonly MatchedSite[]): LayerMatrix {
  const { rows, columns } = own[0];
  const values = new Float64Array(rows * columns);
  const hasCounts = sites.every(({ classCounts }) => classCounts !== undefined);
  const all = allRows(sites);
  for (let c = 0; c < rows; c++) {
    const counts = sites.map(({ classCounts }) => classCounts?.[c] ?? 0);
    const ofClass = hasCounts ? counts.reduce((sum, count) => sum + count, 0) : 0;
    own.forEach((matrix, site) => {
      const share = ofClass > 0 ? counts[site] / ofClass : sites[site].rows / all;
      for (let k = c * columns; k < (c + 1) * columns; k++) values[k] += share * matrix.values[k];
    });
  }
  return { rows, columns, values };
}

/** The layers with the widths that the matching found. */
function grown(
  layers: readonly NetworkLayer[],
  matrices: readonly LayerMatrix[],
): readonly NetworkLayer[] {
  let next = 0;
  return layers.map((layer) => {
    if (layer.kind === 'dense') return { ...layer, units: matrices[next++].rows };
    if (layer.kind === 'convolution') return { ...layer, channels: matrices[next++].rows };
    return layer;
  });
}
