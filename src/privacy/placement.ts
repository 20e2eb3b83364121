import type { WordSource } from '../random/words.ts';
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

/** Where noise is added: by a site to its statistic, or to the total before it is published. */
export interface Placement {
  readonly atSite: Treatment;
  readonly onTotal: Treatment;
  /** The number of noises in a total of this many contributions. */
  readonly noises: (contributions: number) => number;
}

const unchanged: Treatment = (statistic) => statistic;

const placements: Readonly<Record<NonNullable<PrivacyTerms['placement']>, Placement>> = {
  central: { atSite: unchanged, onTotal: withNoise, noises: () => 1 },
  local: { atSite: withNoise, onTotal: unchanged, noises: (contributions) => contributions },
};

export function placementOf({ placement = 'central' }: PrivacyTerms): Placement {
  return placements[placement];
}
