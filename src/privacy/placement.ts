import type { WordSource } from '../random/words.ts';
import type { PrivateLayout } from '../statistic/linear-layout.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { PrivacyTerms } from '../study/study.ts';
import type { Mechanism } from './mechanism.ts';
import { withNoise } from './private-noise.ts';

/** What happens to a statistic before another party sees it. */
export type Treatment = (
  statistic: LinearStatistic,
  mechanism: Mechanism,
  random?: WordSource,
) => LinearStatistic;

/** Who adds noise to what: a site to its statistic, a helper to the sum of the masks, the coordinator to the total. */
export interface Placement {
  readonly atSite: Treatment;
  readonly atHelper?: Treatment;
  readonly onTotal: Treatment;
  /** The number of noises in a total of this many contributions. Each alone keeps the promise. */
  readonly noises: (contributions: number) => number;
  /** What costs privacy: each contribution, or a total, whatever number of contributions of a site it has. */
  readonly charged: 'contribution' | 'total';
  /** The same in a layout. */
  readonly inLayout: PrivateLayout['noise'];
}

/** Who adds the noise, as a study says it. */
export type PlacementName = NonNullable<PrivacyTerms['placement']>;

const unchanged: Treatment = (statistic) => statistic;

const placements: Readonly<Record<PlacementName, Placement>> = {
  central: {
    atSite: unchanged,
    onTotal: withNoise,
    noises: () => 1,
    charged: 'total',
    inLayout: 'at-coordinator',
  },
  local: {
    atSite: withNoise,
    onTotal: unchanged,
    noises: (contributions) => contributions,
    charged: 'contribution',
    inLayout: 'at-sites',
  },
  aggregators: {
    atSite: unchanged,
    atHelper: withNoise,
    onTotal: withNoise,
    noises: () => 2,
    charged: 'total',
    inLayout: 'at-aggregators',
  },
};

export function placementOf({ placement = 'central' }: Pick<PrivacyTerms, 'placement'>): Placement {
  return placements[placement];
}

/** Whether all contributions of a site to a study cost as much as one; not where the placement is not known. */
export function isChargedByTotal(placement: PlacementName | undefined): boolean {
  return placement !== undefined && placements[placement].charged === 'total';
}
