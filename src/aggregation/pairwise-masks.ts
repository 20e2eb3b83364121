import { DataError } from '../data-error.ts';
import { wordsOf } from '../statistic/layout.ts';
import { ringSubtractFrom } from '../statistic/ring.ts';
import type { Statistic } from '../statistic/statistic.ts';
import type { AggregationEntry, Share, ShareOrigin } from './aggregation.ts';
import { graphDegree, mostNeighbours } from './graph-degree.ts';
import { maskedCollector } from './masked-collector.ts';
import { implausibleMasked } from './masked-share.ts';
import { fewestSites, mostSites, rosterSchema } from './roster.ts';

declare module '../study/study.ts' {
  interface Aggregations {
    readonly 'pairwise-masks': PairwiseMasks;
  }
}

/**
 * One server adds, and sees only the sum: the sites agree on masks that cancel in it (Bonawitz et al. 2017, with the sparse graph of
 * Bell et al. 2020). They send keys and shares first, then one contribution, and come back to open the sum.
 */
export interface PairwiseMasks {
  readonly kind: 'pairwise-masks';
  /** The sites and the public keys that they sign with. Nobody else can take part. */
  readonly roster: Readonly<Record<string, string>>;
  /** Fewest sites that anything given out is about; 5 unless given, at least 3. */
  readonly minimumSites?: number;
  /** Share of a site's neighbours that must come back to open the total: 0.7 unless given, above a half. */
  readonly threshold?: number;
  /** At the deadline of the study the stage under way ends with the sites that are there; minutes of each later stage: 60 unless given. */
  readonly stageMinutes?: number;
}

/** The site's numbers minus its mask. */
function split({ layout, values }: Statistic, { mask }: ShareOrigin): readonly Share[] {
  if (mask === undefined) {
    throw new DataError(
      'the sites of this study agree on masks before they contribute',
      {},
      'join the study with its invitation, while the coordinator can be reached',
    );
  }
  const left = values.slice();
  ringSubtractFrom(left, mask, wordsOf(layout));
  return [{ values: left }];
}

/** The sites hide their numbers from one server. */
export const pairwiseMasks: AggregationEntry<PairwiseMasks> = {
  schema: (z) =>
    z.strictObject({
      kind: z.literal('pairwise-masks'),
      roster: rosterSchema(z),
      minimumSites: z.int().min(fewestSites).max(mostSites).optional(),
      threshold: z.number().min(0.55).max(0.9).optional(),
      stageMinutes: z.number().min(1).max(10_080).optional(),
    }),
  aggregation: ({ roster, minimumSites = 5, threshold = 0.7, stageMinutes = 60 }) => {
    const sites = Object.keys(roster).length;
    if (graphDegree(sites, threshold) === undefined) {
      throw new DataError(
        `with the threshold ${threshold}, ${sites} sites would need more than ${mostNeighbours} neighbours each`,
        {},
        'leave out the threshold, or choose one from 0.7 to 0.75',
      );
    }
    return {
      sees: 'total',
      minimumSites,
      roster,
      masks: { roster, minimumSites, threshold, stageMinutes },
      parties: ['coordinator'],
      mostShare: 1 / (2 * sites),
      split: (statistic, origin) => split(statistic, origin),
      implausible: implausibleMasked,
      collector: (layout, keep) => maskedCollector(layout, keep),
    };
  },
};
