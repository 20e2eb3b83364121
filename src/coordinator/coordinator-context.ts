import type { Kysely } from 'kysely';
import type { Collected } from '../aggregation/aggregation.ts';
import type { Query } from '../analysis/query.ts';
import type { Result } from '../conclude.ts';
import type { Failure } from '../failure.ts';
import { type Agreement, agreement } from '../federate.ts';
import type { SiteLine } from '../model/report.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { SigningKey } from '../protocol/signature.ts';
import type { Study } from '../study/study.ts';
import type { CheckingTime } from './checking-time.ts';
import type { ReleaseWitness } from './release-witness.ts';
import type { NoiseSecret } from './shared-secrets.ts';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

/** Everything needed to resolve a study. Plain data: it can be sent to another thread. */
export interface ConclusionWork extends Collected {
  readonly study: Study;
  readonly sites: readonly SiteLine[];
  /** In a private study: the key of the noise, in hexadecimal; the same for the same contributions. */
  readonly noise?: string;
  /** Questions beyond the study's own report; absent for a resolution. */
  readonly query?: Query;
}

/** Turns the collected statistics into a report, or says why there is none. */
export type Conclude = (work: ConclusionWork) => Promise<Result | Failure>;

/** The dependencies of every function of a coordinator. */
export interface CoordinatorContext {
  readonly store: Store;
  readonly signing: SigningKey;
  readonly noiseSecret: NoiseSecret;
  /** The store's time, as ISO 8601 in UTC; inside a write, give its transaction. */
  readonly now: (db?: Kysely<Tables>) => Promise<string>;
  readonly conclude: Conclude;
  /** Who may have contributions checked. */
  readonly checking: CheckingTime;
  /** What private studies have published, recorded outside the store. */
  readonly witness: ReleaseWitness;
  /** The study with this id and everything derived from it; refuses an unknown id. */
  readonly agreed: (study: string) => Promise<Agreement>;
}

const MOST_AGREEMENTS = 32;

/** Looks up agreements by study id, with a small cache: a study never changes. */
export function agreements(store: Store): CoordinatorContext['agreed'] {
  const kept = new Map<string, Agreement>();
  return async (id) => {
    const known = kept.get(id);
    if (known !== undefined) return known;
    const row = await store.db
      .selectFrom('studies')
      .select('document')
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) throw unknownStudy();
    const agreed = agreement(JSON.parse(row.document));
    if (kept.size >= MOST_AGREEMENTS) kept.delete(kept.keys().next().value as string);
    kept.set(id, agreed);
    return agreed;
  };
}

export function unknownStudy(): Refusal {
  return new Refusal('not-found', 'there is no such study', 'check the id of the study');
}
