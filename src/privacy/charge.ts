import type { LinearLayout } from '../statistic/linear-layout.ts';
import { type PrivacyTerms, type Study, studyDigest } from '../study/study.ts';
import { mechanismOf } from './mechanism.ts';
import { isChargedByTotal, type PlacementName } from './placement.ts';
import { privateColumns } from './private-layout.ts';

/** The privacy cost of a contribution for its rows, and the promise it belongs to. */
export interface Charge {
  readonly mu: number;
  /** Digest of the study's first round; all rounds of one promise share it. */
  readonly promise: string;
  /** 0 for the first round, else the number of the refinement. */
  readonly round: number;
  /** Who publishes the result: the key of a coordinator, or `file`. Two publishers draw two noises. */
  readonly place: string;
  /** With local noise each contribution costs `mu`; else all contributions of a site to a study cost `mu` together. */
  readonly placement: PlacementName;
  readonly unit: PrivacyTerms['unit'];
  /** Contributions of the same rows that the promise allows, if each has a cost. */
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
    // A contribution may be in every total that the coordinator publishes.
    mu: isChargedByTotal(placement) ? spent * Math.sqrt(releases) : spent,
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
