import type { KemName } from '../cipher/kems.ts';
import type { Seal } from '../statistic/envelope.ts';
import { digestJson } from '../study/digest.ts';
import type { Study } from '../study/study.ts';
import type { SealedOpening } from './opening-messages.ts';
import type { Sealed } from './signature.ts';
import type { ContributionSlip } from './signed-contribution.ts';

/** What a helper says about itself; a study names these keys. */
export interface HelperDescription {
  readonly schema: 'suffice/helper@1';
  /** Public keys that seeds are sealed to, by KEM. */
  readonly keys: Readonly<Record<KemName, string>>;
  /** The public key that it signs statements with. */
  readonly signingKey: string;
}

/** A contribution as a helper gets it: signed, with its sealed seed, and without its numbers. */
export interface SignedSlip extends Omit<ContributionSlip, 'study'> {
  readonly nonce: string;
  readonly sealed: string;
  readonly seal: Seal;
}

/** Asks a helper for the sum of the masks of these contributions. */
export interface SumRequest {
  readonly schema: 'suffice/sum-request@1';
  readonly study: Study;
  readonly contributions: readonly SignedSlip[];
  /** Sites that let the coordinator see their contributions: a sum may tell about them alone. */
  readonly openings?: readonly SealedOpening[];
}

/** What a helper has answered, for everyone to see: which contributions, never their masks. */
export interface Statement {
  readonly schema: 'suffice/statement@1';
  /** Digest of the study. */
  readonly study: string;
  /** Digest of the set of contributions: `setDigest`. */
  readonly set: string;
  readonly sites: readonly string[];
  readonly contributions: number;
  readonly answeredAt: string;
}

export type SealedStatement = Sealed<Statement>;

/** Sums of the masks of a set as base64, and the statement about it. */
export interface MaskSumAnswer {
  readonly schema: 'suffice/sum@1';
  readonly statement: SealedStatement;
  /** One for each group of sites; one in a study without groups. */
  readonly sums: readonly { readonly contributions: number; readonly sum: string }[];
}

/** The contributions of a set that a helper cannot use. There is no sum then. */
export interface UnusableAnswer {
  readonly schema: 'suffice/unusable@1';
  /** Digest of the study. */
  readonly study: string;
  /** Digest of the set that was asked about. */
  readonly set: string;
  readonly unusable: readonly Unusable[];
}

/** The answer of a helper, signed as a whole: nobody on the way can change a sum, or have contributions erased. */
export type SumAnswer = Sealed<MaskSumAnswer> | Sealed<UnusableAnswer>;

/** A contribution that a helper cannot use. */
export interface Unusable {
  readonly site: string;
  readonly sequence: number;
  readonly why: string;
}

/** The statements of a helper about a study, oldest first. */
export interface Statements {
  readonly schema: 'suffice/statements@1';
  readonly statements: readonly SealedStatement[];
}

/** A contribution in a set, as its digest counts it; `sent` is the digest of its numbers and its sealed seed. */
export type SetMember = readonly [site: string, sequence: number, sent: string];

/** The members of a set in their order, which does not depend on who asks. */
export function setMembers(
  contributions: readonly Pick<SignedSlip, 'site' | 'sequence' | 'data' | 'nonce' | 'sealed'>[],
): SetMember[] {
  return contributions
    .map(({ site, sequence, ...sent }): SetMember => {
      const { data, nonce, sealed } = sent;
      return [site, sequence, digestJson({ data, nonce, sealed })];
    })
    .sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1]));
}

/** The name of a set of contributions. */
export function setDigest(study: string, members: readonly SetMember[]): string {
  return digestJson({ study, members });
}
