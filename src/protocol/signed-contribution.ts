import type { Contribution, Seal } from '../statistic/envelope.ts';
import { statisticBytes } from '../statistic/statistic.ts';
import { digestBytes } from '../study/digest.ts';
import { isSigned, type SigningKey, sign } from './signature.ts';

/** A contribution with a signature. */
export interface SignedContribution extends Contribution {
  readonly seal: Seal;
}

/** The text that a site signs: seven lines, eight with a nonce, that cover the whole contribution. */
export function contributionText(contribution: Contribution): string {
  const { study, site, sequence, mode, dropped, nonce, statistic } = contribution;
  const data = digestBytes(statisticBytes(statistic));
  const lines = ['suffice/contribution@1', study, site, sequence, mode, dropped, data];
  return (nonce === undefined ? lines : [...lines, nonce]).join('\n');
}

/** A contribution with the signature of its site. */
export function signContribution(contribution: Contribution, key: SigningKey): SignedContribution {
  return { ...contribution, seal: sign(contributionText(contribution), key) };
}

/** Whether the contribution has a valid signature. It does not say whose key it is. */
export function isSignedContribution(
  contribution: Contribution,
): contribution is SignedContribution {
  const { seal } = contribution;
  return seal !== undefined && isSigned(contributionText(contribution), seal);
}
