import type { PartyStep } from '../protocol/party-messages.ts';

/** A step of an exchange between parties; `share` is the contribution at its end. */
export interface ExchangeStep {
  readonly step: PartyStep | 'share';
  readonly title: string;
  /** What happens in it, in one sentence. */
  readonly about: string;
}

/** The steps of an exchange, in order. */
export function exchangeSteps(): readonly ExchangeStep[] {
  return [
    { step: 'keys', title: 'Keys', about: 'Each party makes a key for this study and signs it.' },
    {
      step: 'secret',
      title: 'Secret',
      about: 'The first party makes the secret of the tokens and encrypts it to the others.',
    },
    {
      step: 'tokens',
      title: 'Tokens',
      about: 'Each party sends tokens of its keys to the helper.',
    },
    { step: 'links', title: 'Links', about: 'The helper links the rows and deals random numbers.' },
    {
      step: 'columns',
      title: 'Columns',
      about: 'Each party sends its masked columns of the linked people to the others.',
    },
    { step: 'share', title: 'Share', about: 'Each party sends its share of the sums.' },
  ];
}

/** What a party waits for, by step and sender. */
export const waitingFor: Readonly<Record<PartyStep, (party: string) => string>> = {
  keys: (party) => `the key of ${party}`,
  secret: (party) => `the secret of the tokens from ${party}`,
  tokens: (party) => `the tokens of ${party}`,
  links: () => 'the helper, which links the rows once all parties have sent their tokens',
  columns: (party) => `the masked columns of ${party}`,
};
