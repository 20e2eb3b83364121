import type { Kysely } from 'kysely';
import type { Collected } from '../aggregation/aggregation.ts';
import type { Query } from '../analysis/query.ts';
import type { Result } from '../conclude.ts';
import type { Failure } from '../failure.ts';
import { type Agreement, agreement } from '../federate.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { SigningKey } from '../protocol/signature.ts';
import type { ClientOptions } from '../protocol/transport.ts';
import type { Study } from '../study/study.ts';
import type { CheckingTime } from './checking-time.ts';
import type { ContributionChecks } from './contribution-checks.ts';
import type { ReleaseWitness } from './release-witness.ts';
import type { NoiseSecret } from './shared-secrets.ts';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

/**
 * Everything needed to resolve a study. Plain data: it can be sent to another thread. The lines of the sites stay behind: there
 * may be very many.
 */
export interface ConclusionWork extends Collected {
  readonly study: Study;
  /** In a private study: the key of the noise, in hexadecimal; the same for the same contributions. */
  readonly noise?: string;
  /** Questions beyond the study's own report; absent for a resolution. */
  readonly query?: Query;
}

/** Turns the collected statistics into a report without its lines of sites, or says why there is none. */
export type Conclude = (work: ConclusionWork) => Promise<Result | Failure>;

/** The dependencies of every function of a coordinator. */
export interface CoordinatorContext {
  readonly store: Store;
  readonly signing: SigningKey;
  readonly noiseSecret: NoiseSecret;
  /** The store's time, as ISO 8601 in UTC; inside a write, give its transaction. */
  readonly now: (db?: Kysely<Tables>) => Promise<string>;
  readonly conclude: Conclude;
  /** Bytes of a block of a large file. */
  readonly blockBytes: number;
  readonly checks: ContributionChecks;
  /** Who may have contributions checked. */
  readonly checking: CheckingTime;
  /** When a study is tried again whose helper did not answer, by this process's clock. */
  readonly postponed: Map<string, number>;
  /** Days after which the contributions to a study that has ended are erased; never unless given. */
  readonly keepDays?: number;
  /** How helpers are asked; by `fetch` unless given. */
  readonly helpers?: Pick<ClientOptions, 'fetch' | 'plainHttp'>;
  /** How parents of regional studies are asked; by `fetch` unless given. */
  readonly parents?: Pick<ClientOptions, 'fetch' | 'plainHttp'>;
  /** What private studies have published, recorded outside the store. */
  readonly witness: ReleaseWitness;
  /** The study with this id and everything derived from it; refuses an unknown id. */
  readonly agreed: (study: string) => Promise<Agreement>;
  /** The id of the first round of a study; refuses an unknown id. */
  readonly firstRound: (study: string) => Promise<string>;
}

/** Looks up what never changes about a study, by its id. */
export function studyLookups({ db }: Store): Pick<CoordinatorContext, 'agreed' | 'firstRound'> {
  const row = async (id: string) => {
    const found = await db
      .selectFrom('studies')
      .select(['document', 'first'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (found === undefined) throw unknownStudy();
    return found;
  };
  return {
    agreed: kept(async (id) => agreement(JSON.parse((await row(id)).document))),
    firstRound: kept(async (id) => (await row(id)).first ?? id),
  };
}

const MOST_KEPT = 32;

/** The same lookup, with a small cache. */
function kept<T>(look: (id: string) => Promise<T>): (id: string) => Promise<T> {
  const known = new Map<string, T>();
  return async (id) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const now = await look(id);
    if (known.size >= MOST_KEPT) known.delete(known.keys().next().value as string);
    known.set(id, now);
    return now;
  };
}

export function unknownStudy(): Refusal {
  return new Refusal('not-found', 'there is no such study', 'check the id of the study');
}
