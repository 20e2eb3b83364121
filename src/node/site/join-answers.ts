import type { Agreement } from '../../federate.ts';
import type { SourceVersion } from '../../rows/source.ts';
import {
  forgottenBy,
  type JoinRequest,
  numberingOf,
  type SiteMembership,
} from '../../site/join.ts';
import { prepareAnswer } from '../../site/prepare-answer.ts';
import type { Prepared } from '../../site/prepare-contribution.ts';
import { refuseStrangeKey } from '../../site/roster-key.ts';
import type { SiteStore } from '../../site/site-store.ts';
import type { DatabaseAnswers } from '../database/database-answers.ts';

/** Rows that a database has summed: what a site joins with in place of a file. */
export interface AnsweredRows {
  /** The state of the rows, or of the files with the answers. */
  version(): Promise<SourceVersion>;
  answers(agreed: Agreement, site: string): Promise<DatabaseAnswers>;
}

/** Prepares a contribution from the answers of a database. Sends nothing. */
export async function prepareJoinAnswer(
  request: Omit<JoinRequest, 'rows'>,
  membership: SiteMembership,
  store: SiteStore,
  answered: AnsweredRows,
): Promise<Prepared> {
  const { agreed, site, coordinatorKey: place } = membership;
  await refuseStrangeKey(membership, store);
  const numbering = numberingOf(membership, request.again);
  const forgotten = await forgottenBy(store, membership);
  const key = await store.key();
  const { answers, source } = await answered.answers(agreed, site);
  return prepareAnswer({
    ...request,
    ...{ agreed, site, numbering, place, key, store, forgotten, answers, source },
  });
}
