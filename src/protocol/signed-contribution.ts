import type { Contribution, ContributionHeader, Seal } from '../statistic/envelope.ts';
import { statisticView } from '../statistic/statistic.ts';
import { digestBytes } from '../study/digest.ts';
import { isSigned, type SigningKey, sign } from './signature.ts';

/** A contribution with a signature. */
export interface SignedContribution extends Contribution {
  readonly seal: Seal;
}

/** A contribution without its numbers: what a helper gets of it. */
export interface ContributionSlip extends ContributionHeader {
  /** SHA-256 of the numbers. */
  readonly data: string;
}

/** A contribution's header, and the digest of its numbers. */
export function slipOf({ statistic, ...header }: Contribution): ContributionSlip {
  return { ...header, data: digestBytes(statisticView(statistic)) };
}

/** The text that a site signs: seven lines, and those of a nonce and a sealed share, that cover the whole contribution. */
export function contributionText(slip: ContributionSlip): string {
  const { study, site, sequence, mode, dropped, nonce, sealed, data } = slip;
  const lines = ['suffice/contribution@1', study, site, sequence, mode, dropped, data];
  return [
    ...lines,
    ...(nonce === undefined ? [] : [nonce]),
    ...(sealed === undefined ? [] : [sealed]),
  ].join('\n');
}

/** A contribution with the signature of its site. */
export function signContribution(contribution: Contribution, key: SigningKey): SignedContribution {
  return { ...contribution, seal: sign(contributionText(slipOf(contribution)), key) };
}

/** Whether the contribution has a valid signature. It does not say whose key it is. */
export function isSignedContribution(
  contribution: Contribution,
): contribution is SignedContribution {
  return isSignedSlip(slipOf(contribution));
}

/** Whether the slip's contribution was signed, by the key that it names. */
export function isSignedSlip(slip: ContributionSlip): boolean {
  const { seal } = slip;
  return seal !== undefined && isSigned(contributionText(slip), seal);
}
