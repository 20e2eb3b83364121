import type { Feature, Features, TableStudy } from '../study/study.ts';
import { arccosineMap } from './arccosine-map.ts';
import { backboneMap } from './backbone-map.ts';
import { convolutionMap } from './convolution-map.ts';
import type { FeatureMap } from './feature-map.ts';
import { fourierMap } from './fourier-map.ts';
import { networkMap } from './network-map.ts';
import { nystromMap } from './nystrom-map.ts';
import type { PinnedFile } from './pinned-file.ts';
import { projectionMap } from './projection-map.ts';
import { residualOver } from './residual-map.ts';
import type { BaseFeature } from './residual-terms.ts';
import { tangentMap } from './tangent-map.ts';

type Maps<Kinds extends Feature['kind']> = {
  readonly [Kind in Kinds]: FeatureMap<Features[Kind]>;
};

/** The maps of a formula's columns. */
const baseMaps: Maps<BaseFeature['kind']> = {
  projection: projectionMap,
  fourier: fourierMap,
  nystrom: nystromMap,
  tangent: tangentMap,
  arccosine: arccosineMap,
  convolution: convolutionMap,
  backbone: backboneMap,
  network: networkMap,
};

/** Every feature map, by its kind in a study. */
export const featureMaps: Maps<Feature['kind']> = {
  ...baseMaps,
  residual: residualOver(baseMaps),
};

/** The map of a study's terms. */
export function featureMapOf({ kind }: Feature): FeatureMap {
  return featureMaps[kind];
}

/** The feature maps as text, to follow the method's name; empty without maps. */
export function featuresText({ features = [] }: Pick<TableStudy, 'features'>): string {
  return features.map((terms) => `, on ${featureMapOf(terms).text(terms)} of the columns`).join('');
}

/** The public files that the maps of a study need to map rows. */
export function pinnedFiles({ features = [] }: Pick<TableStudy, 'features'>): PinnedFile[] {
  return features.flatMap((terms) => featureMapOf(terms).pinned?.(terms) ?? []);
}

/** Public files of all maps that coordinators offer to the pages of sites. */
export function offeredFiles(): readonly PinnedFile[] {
  const maps: readonly Pick<FeatureMap, 'files'>[] = Object.values(featureMaps);
  return maps.flatMap(({ files = [] }) => files);
}
