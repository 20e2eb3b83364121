import type { LinearLayout } from '../statistic/linear-layout.ts';
import { type PrivacyTerms, type Study, studyDigest } from '../study/study.ts';
import { mechanismOf } from './mechanism.ts';
import { privateColumns } from './private-layout.ts';

/** What a contribution to a private study costs its rows, and of which promise it is a part. */
export interface Charge {
  readonly mu: number;
  /** Digest of the study's first round: the rounds of one promise share it. */
  readonly promise: string;
  /** 0, or which refinement. */
  readonly round: number;
  /** Who publishes what is made of it: the key of a coordinator, or `file`. Two who do draw two noises. */
  readonly place: string;
  /** With central noise all contributions of a site to a study cost `mu` together, since the coordinator counts what it publishes; else each does. */
  readonly placement: NonNullable<PrivacyTerms['placement']>;
  readonly unit: PrivacyTerms['unit'];
  /** Contributions of the same rows that the promise has room for, where each costs. */
  readonly releases: number;
}

/** The charge of a contribution to a private study. */
export function chargeOf(
  study: Study,
  terms: PrivacyTerms,
  layout: LinearLayout,
  place: string,
): Charge {
  const { placement = 'central', releases = 1, unit, refinement } = terms;
  const { spent } = mechanismOf(terms, privateColumns(layout));
  return {
    // What the coordinator has may be in every total it publishes.
    mu: placement === 'central' ? spent * Math.sqrt(releases) : spent,
    promise: promiseOf(study, terms),
    round: refinement?.round ?? 0,
    place,
    placement,
    unit,
    releases,
  };
}

function promiseOf(study: Study, terms: PrivacyTerms): string {
  const { refinement: _, ...first } = terms;
  return studyDigest({ ...study, privacy: first });
}
