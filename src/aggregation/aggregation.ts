import type * as zod from 'zod';
import type { Failure } from '../failure.ts';
import type { WordSource } from '../random/words.ts';
import type { ContributionHeader } from '../statistic/envelope.ts';
import type { Layout } from '../statistic/layout.ts';
import type { RingVector } from '../statistic/ring.ts';
import type { SiteStatistic } from '../statistic/site-statistics.ts';
import type { Statistic } from '../statistic/statistic.ts';
import type { Zod } from '../study/zod.ts';

/** Who takes part in adding: the coordinator alone, or with a helper that it does not control. */
export type Party = 'coordinator' | 'helper';

/** One party's share of a site's statistic: numbers to add, or bytes that only this party can open. */
export type Share = { readonly values: RingVector } | { readonly sealed: Uint8Array };

/** The contribution of a share. The seal includes it, so a share cannot be used for another contribution. */
export type ShareOrigin = Pick<ContributionHeader, 'study' | 'site' | 'sequence'>;

/** The answer of another party: the sum of its shares, and their number of contributions. */
export interface PartyAnswer {
  readonly values: RingVector;
  readonly contributions: number;
}

/** The collected total, and each site's statistic if the aggregation shows it. */
export interface Collected {
  readonly total: Statistic;
  /** Number of contributions in the total. */
  readonly contributions: number;
  readonly parts?: readonly SiteStatistic[];
}

/** Adds shares one by one, in any order. Needs the memory of one vector, and one more for each site that is kept. */
export interface Collector {
  add(site: string, share: Share): void;
  /** The total, from the coordinator's shares and the other parties' answers for the same contributions; or why there is no total. */
  finish(answers?: readonly PartyAnswer[]): Collected | Failure;
}

/** How the sites' statistics are added, and who sees what. */
export interface Aggregation {
  /** What the coordinator sees: each site's statistic, or only the sum. */
  readonly sees: 'sites' | 'total';
  /** Fewest sites that anything given out is about; one unless given. */
  readonly minimumSites?: number;
  /** The parties, in the order of their shares; the coordinator is first. */
  readonly parties: readonly Party[];
  /** At a site: one share for each party. The shares add up to the statistic. */
  split(statistic: Statistic, origin: ShareOrigin, random?: WordSource): readonly Share[];
  /** Why a share cannot be valid for this party and layout, if so. If only the sum is seen, only the size is checked. */
  implausible(share: Share, layout: Layout, party: Party): string | undefined;
  /** At the coordinator: adds its shares; `sites` keeps each site's statistic, if the aggregation shows it. */
  collector(layout: Layout, keep: 'total' | 'sites'): Collector;
}

/** An aggregation in the registry. */
export interface AggregationEntry<Terms> {
  /** The JSON schema of its terms, including `kind`. */
  schema(z: Zod): zod.ZodObject;
  aggregation(terms: Terms): Aggregation;
}
