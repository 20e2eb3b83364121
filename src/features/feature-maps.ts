import type { Feature, TableStudy } from '../study/study.ts';
import type { FeatureMap } from './feature-map.ts';
import { projectionMap } from './projection-map.ts';

/** Every feature map, by the kind a study names it by. */
export const featureMaps: {
  readonly [Terms in Feature as Terms['kind']]: FeatureMap<Terms>;
} = {
  projection: projectionMap,
};

/** The map that a study's terms speak of. */
export function featureMapOf({ kind }: Feature): FeatureMap {
  return featureMaps[kind];
}

/** What is done to the columns before they are summed, to stand behind the method; nothing where nothing is. */
export function featuresText({ features = [] }: Pick<TableStudy, 'features'>): string {
  return features.map((terms) => `, on ${featureMapOf(terms).text(terms)} of the columns`).join('');
}
