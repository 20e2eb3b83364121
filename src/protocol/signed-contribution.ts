import type { Contribution, Seal } from '../statistic/envelope.ts';
import { statisticBytes } from '../statistic/statistic.ts';
import { digestBytes } from '../study/digest.ts';
import { isSigned, type SigningKey, sign } from './signature.ts';

/** A contribution that says who signed it. */
export interface SignedContribution extends Contribution {
  readonly seal: Seal;
}

/** What a site signs: seven lines of text, eight with a nonce, that name everything the contribution says. */
export function contributionText(contribution: Contribution): string {
  const { study, site, sequence, mode, dropped, nonce, statistic } = contribution;
  const data = digestBytes(statisticBytes(statistic));
  const lines = ['suffice/contribution@1', study, site, sequence, mode, dropped, data];
  return (nonce === undefined ? lines : [...lines, nonce]).join('\n');
}

export function signContribution(contribution: Contribution, key: SigningKey): SignedContribution {
  return { ...contribution, seal: sign(contributionText(contribution), key) };
}

/** Whether the contribution carries a signature that fits. Says nothing about whose key it is. */
export function isSignedContribution(
  contribution: Contribution,
): contribution is SignedContribution {
  const { seal } = contribution;
  return seal !== undefined && isSigned(contributionText(contribution), seal);
}
