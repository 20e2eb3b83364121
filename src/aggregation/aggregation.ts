import type * as zod from 'zod';
import type { Failure } from '../failure.ts';
import type { WordSource } from '../random/words.ts';
import type { ContributionHeader } from '../statistic/envelope.ts';
import type { Layout } from '../statistic/layout.ts';
import type { RingVector } from '../statistic/ring.ts';
import type { SitePart } from '../statistic/site-part.ts';
import type { Statistic } from '../statistic/statistic.ts';
import type { Zod } from '../study/zod.ts';

/** Who takes part in adding: the coordinator alone, or with a helper that it does not control. */
export type Party = 'coordinator' | 'helper';

/** What one party is given of a site's statistic: numbers to add, or bytes that only this party can open. */
export type Share = { readonly values: RingVector } | { readonly sealed: Uint8Array };

/** Which contribution a share is of: what its seal is bound to, so that it cannot pass for another's. */
export type ShareOrigin = Pick<ContributionHeader, 'study' | 'site' | 'sequence'>;

/** What another party answers: the sum of its shares, and how many contributions they are of. */
export interface Answer {
  readonly values: RingVector;
  readonly contributions: number;
}

/** What was collected: the total, and each site's statistic where the aggregation shows it. */
export interface Collected {
  readonly total: Statistic;
  /** Contributions that the total is the sum of. */
  readonly contributions: number;
  readonly parts?: readonly SitePart[];
}

/** Adds shares one by one, in any order; one vector of memory, and one a site where the sites are kept. */
export interface Collector {
  add(site: string, share: Share): void;
  /** The sum, from the coordinator's shares and what the other parties answer about the same contributions; or why there is none. */
  finish(answers?: readonly Answer[]): Collected | Failure;
}

/** How statistics of sites are added, and who sees what of them on the way. */
export interface Aggregation {
  /** What the coordinator sees: each site's statistic, or the sum alone. */
  readonly sees: 'sites' | 'total';
  /** Who takes part, in the order in which shares are made for them; the coordinator is the first. */
  readonly parties: readonly Party[];
  /** At a site: one share a party. The shares of a statistic add up to it. */
  split(statistic: Statistic, origin: ShareOrigin, random?: WordSource): readonly Share[];
  /** Why a share cannot be this party's of this layout, if so. Where only the sum is seen, only its size is checked. */
  implausible(share: Share, layout: Layout, party: Party): string | undefined;
  /** At the coordinator: adds its shares; `sites` keeps the statistic of each site, where the aggregation shows it. */
  collector(layout: Layout, keep: 'total' | 'sites'): Collector;
}

/** An aggregation as the registry holds it. */
export interface AggregationEntry<Terms> {
  /** The JSON of its terms, with `kind` among them. */
  schema(z: Zod): zod.ZodObject;
  aggregation(terms: Terms): Aggregation;
}
