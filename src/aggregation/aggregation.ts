import type * as zod from 'zod';
import type { KemName } from '../cipher/kems.ts';
import type { Failure } from '../failure.ts';
import type { Design } from '../features/design.ts';
import type { WordSource } from '../random/words.ts';
import type { ContributionHeader } from '../statistic/envelope.ts';
import type { Layout } from '../statistic/layout.ts';
import type { RingVector } from '../statistic/ring.ts';
import type { SiteStatistic } from '../statistic/site-statistics.ts';
import type { Statistic } from '../statistic/statistic.ts';
import type { Linkage } from '../study/partition.ts';
import type { Zod } from '../study/zod.ts';
import type { Grouping } from './grouping.ts';

/** Who takes part in adding: the coordinator alone, or with a helper that it does not control. */
export type Party = 'coordinator' | 'helper';

/** One party's share of a site's statistic: numbers to add, or bytes that only this party can open. */
export type Share = NumberShare | { readonly sealed: Uint8Array };

/** Numbers to add. */
export interface NumberShare {
  readonly values: RingVector;
  /** Where the numbers come in parts, in their order: the first entry of this one, from 0. Only a collector that keeps the total takes parts. */
  readonly first?: number;
}

/** The contribution of a share. The seal includes it, so a share cannot be used for another contribution. */
export interface ShareOrigin
  extends Pick<ContributionHeader, 'study' | 'site' | 'sequence' | 'nonce'> {
  /** The site's mask, where the sites agreed on masks. A mask hides one contribution. */
  readonly mask?: RingVector;
}

/** How the sites hide their numbers from a single server: they agree on masks that cancel in the sum. */
export interface MaskTerms {
  readonly roster: Readonly<Record<string, string>>;
  readonly minimumSites: number;
  /** Share of a site's neighbours that must come back to open the total. */
  readonly threshold: number;
  /** Minutes of each stage after the one that the deadline of the study has ended. */
  readonly stageMinutes: number;
}

/** How the columns of one table lie at several parties, where no party has them all. */
export interface ColumnsAt {
  /** The columns of each party, in the order of the parties. */
  readonly parties: Readonly<Record<string, readonly string[]>>;
  /** Lists of key columns, tried in turn. */
  readonly passes: readonly (readonly string[])[];
  readonly linkage: Linkage;
  readonly duplicates: 'refuse' | 'leave-out';
  readonly roster?: Readonly<Record<string, string>>;
  /** Deals random numbers, and links the rows by tokens. */
  readonly helper?: HelperParty;
}

/** The second party of a sum: where it is, and its public keys. */
export interface HelperParty {
  readonly url: string;
  readonly kem: KemName;
  /** Seeds are sealed to this key. */
  readonly key: string;
  /** Its statements are signed with this key. */
  readonly signingKey: string;
}

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
  /** The sites that may take part, and their public keys; any unless given. */
  readonly roster?: Readonly<Record<string, string>>;
  readonly helper?: HelperParty;
  /** Sites agree on masks before they contribute, and come back to open the sum; no unless given. */
  readonly masks?: MaskTerms;
  /** Sites hold different columns of the same people, and each sends a share of one total; every site has all columns unless given. */
  readonly columnsAt?: ColumnsAt;
  /** Groups of sites whose sums are opened one by one, where they are. */
  readonly grouping?: Grouping;
  /** Largest share of the ring that a site's first contribution may take, where nobody can check it later; twice this for all of them. */
  readonly mostShare?: number;
  /** Loads code that `split` and `implausible` need; nothing to load unless given. */
  load?(): Promise<void>;
  /** At a site: one share for each party. The shares add up to the statistic. */
  split(statistic: Statistic, origin: ShareOrigin, random?: WordSource): readonly Share[];
  /** Why a share cannot be valid for this party and layout, if so. If only the sum is seen, only the size is checked. */
  implausible(share: Share, layout: Layout, party: Party): string | undefined;
  /** At the coordinator: adds its shares; `sites` keeps each site's statistic, if the aggregation shows it. `design` says whose columns they are. */
  collector(layout: Layout, keep: 'total' | 'sites', design?: Design): Collector;
}

/** An aggregation in the registry. */
export interface AggregationEntry<Terms> {
  /** The JSON schema of its terms, including `kind`. */
  schema(z: Zod): zod.ZodObject;
  aggregation(terms: Terms): Aggregation;
}
