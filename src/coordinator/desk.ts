import type { Collected } from '../aggregation/aggregation.ts';
import type { Inquiry } from '../analysis/inquiry.ts';
import type { Findings } from '../conclude.ts';
import type { Failure } from '../failure.ts';
import { type Agreement, agreement } from '../federate.ts';
import type { SiteLine } from '../model/report.ts';
import { Refusal } from '../protocol/refusal.ts';
import type { SigningKey } from '../protocol/signature.ts';
import type { Study } from '../study/study.ts';
import type { Store } from './store.ts';

/** What is to be resolved. Plain data: it may go to another thread. */
export interface ConclusionWork extends Collected {
  readonly study: Study;
  readonly sites: readonly SiteLine[];
  /** What the noise of a private study is drawn from, in hexadecimal: the same for the same contributions. */
  readonly noise?: string;
  /** Asks otherwise than the study does; absent for its own resolution. */
  readonly inquiry?: Inquiry;
}

/** Turns what a study has collected into its report, or says why there is none. */
export type Conclude = (work: ConclusionWork) => Promise<Findings | Failure>;

/** What every function of a coordinator works with. */
export interface Desk {
  readonly store: Store;
  readonly signing: SigningKey;
  readonly now: () => Date;
  readonly conclude: Conclude;
  /** The study of an id and all that follows from it; refuses an id nobody knows. */
  readonly agreed: (study: string) => Promise<Agreement>;
}

const MOST_AGREEMENTS = 32;

/** Looks agreements up by study id; the last few are kept, since a study never changes. */
export function agreements(store: Store): Desk['agreed'] {
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
