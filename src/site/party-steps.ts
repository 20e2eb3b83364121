import type { PartyStep } from '../protocol/party-messages.ts';
import type { Linkage } from '../study/partition.ts';

/** A step of an exchange between parties; `share` is the contribution at its end. */
export interface ExchangeStep {
  readonly step: PartyStep | 'share';
  readonly title: string;
  /** What happens in it, in one sentence. */
  readonly about: string;
}

/** The steps of an exchange, in order, by how rows are linked. */
export function exchangeSteps(linkage: Linkage): readonly ExchangeStep[] {
  return [
    { step: 'keys', title: 'Keys', about: 'Each party makes a key for this study and signs it.' },
    ...linking[linkage],
    {
      step: 'columns',
      title: 'Columns',
      about: 'Each party sends its masked columns of the linked people to the others.',
    },
    { step: 'share', title: 'Share', about: 'Each party sends its share of the sums.' },
  ];
}

const linking: Readonly<Record<Linkage, readonly ExchangeStep[]>> = {
  ecdh: [
    {
      step: 'points',
      title: 'Points',
      about: 'Each party sends points of its keys to the other, times a secret number of its own.',
    },
    {
      step: 'doubled',
      title: 'Points back',
      about: 'Each party multiplies the points of the other and sends them back.',
    },
    {
      step: 'count',
      title: 'Count',
      about: 'Each party tells the helper how many people are linked.',
    },
    {
      step: 'links',
      title: 'Deal',
      about: 'The helper deals random numbers for the number of people linked.',
    },
  ],
  hmac: [
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
  ],
};

/** What a party waits for, by step and sender. */
export const waitingFor: Readonly<Record<PartyStep, (party: string) => string>> = {
  keys: (party) => `the key of ${party}`,
  secret: (party) => `the secret of the tokens from ${party}`,
  tokens: (party) => `the tokens of ${party}`,
  points: (party) => `the points of ${party}`,
  doubled: (party) => `your points to come back from ${party}`,
  count: (party) => `the number of people that ${party} has linked`,
  links: () => 'the helper, which answers once it has the messages of all parties',
  columns: (party) => `the masked columns of ${party}`,
};
