import type { FeatureMap } from '../features/feature-map.ts';
import { featureMaps } from '../features/feature-maps.ts';
import type { FeatureTerms } from '../features/feature-text.ts';
import type { Feature } from '../study/study.ts';

/** A feature map in a report: its terms, and the number of the formula's columns it was applied to. */
export type MapFacts<Terms extends FeatureTerms> = Omit<Terms, 'kind'> & {
  readonly columns: number;
};

/** The facts of a report's feature map, under its kind. */
export type ReportedFeatures = {
  readonly [Terms in Feature as Terms['kind']]?: MapFacts<Terms>;
};

/** A feature map, read from a report. */
export interface ReportedMap {
  readonly map: FeatureMap;
  readonly terms: FeatureTerms;
  /** Number of the formula's columns that it was applied to. */
  readonly columns: number;
}

/** The feature map of a report, if it has one. */
export function reportedMap(report: ReportedFeatures): ReportedMap | undefined {
  for (const map of Object.values(featureMaps)) {
    const facts = report[map.kind];
    if (facts === undefined) continue;
    const { columns, ...terms } = facts;
    return { map, terms: { kind: map.kind, ...terms }, columns };
  }
  return undefined;
}

/** The fields of a report that describe its feature map. */
export function mapFacts<Terms extends FeatureTerms>(
  { kind, ...terms }: Terms,
  columns: number,
): Readonly<Record<string, unknown>> {
  return { [kind]: { ...terms, columns } };
}
