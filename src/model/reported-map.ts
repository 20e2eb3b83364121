import type { FeatureMap } from '../features/feature-map.ts';
import { featureMaps } from '../features/feature-maps.ts';
import type { FeatureTerms } from '../features/feature-text.ts';
import type { Feature } from '../study/study.ts';

/** What a report tells of a feature map: its terms, and how many columns of the formula they are applied to. */
export type MapFacts<Terms extends FeatureTerms> = Omit<Terms, 'kind'> & {
  readonly columns: number;
};

/** The facts of a report's feature map, under its kind. */
export type ReportedFeatures = {
  readonly [Terms in Feature as Terms['kind']]?: MapFacts<Terms>;
};

/** A feature map as a report tells of it. */
export interface ReportedMap {
  readonly map: FeatureMap;
  readonly terms: FeatureTerms;
  /** Columns of the formula that it was applied to. */
  readonly columns: number;
}

/** The map whose columns a report's terms are, if one is. */
export function reportedMap(report: ReportedFeatures): ReportedMap | undefined {
  for (const map of Object.values(featureMaps)) {
    const facts = report[map.kind];
    if (facts === undefined) continue;
    const { columns, ...terms } = facts;
    return { map, terms: { kind: map.kind, ...terms }, columns };
  }
  return undefined;
}

/** The facts as a report has them. */
export function mapFacts<Terms extends FeatureTerms>(
  { kind, ...terms }: Terms,
  columns: number,
): Readonly<Record<string, unknown>> {
  return { [kind]: { ...terms, columns } };
}
