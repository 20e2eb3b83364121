import type { WordSource } from '../random/words.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { PrivacyTerms } from '../study/study.ts';
import type { Mechanism } from './mechanism.ts';
import { withNoise } from './private-noise.ts';

/** What is done to a statistic before somebody else sees it. */
export type Treatment = (
  statistic: LinearStatistic,
  mechanism: Mechanism,
  words?: WordSource,
) => LinearStatistic;

/** Where noise is added: what a site does to its statistic, and what is done to the total before it is published. */
export interface Placement {
  readonly atSite: Treatment;
  readonly onTotal: Treatment;
  /** How many noises are in the total of so many contributions. */
  readonly noises: (contributions: number) => number;
}

const asItIs: Treatment = (statistic) => statistic;

const placements: Readonly<Record<NonNullable<PrivacyTerms['placement']>, Placement>> = {
  central: { atSite: asItIs, onTotal: withNoise, noises: () => 1 },
  local: { atSite: withNoise, onTotal: asItIs, noises: (contributions) => contributions },
};

export function placementOf({ placement = 'central' }: PrivacyTerms): Placement {
  return placements[placement];
}
