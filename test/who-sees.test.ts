import { expect, it } from 'vitest';
import type { Aggregation } from '../src/aggregation/aggregation.ts';
import { partyTexts, sentMaskedText, whoSeesHidden } from '../src/aggregation/who-sees.ts';

const helper: NonNullable<Aggregation['helper']> = {
  url: 'https://helper.example.org',
  kem: 'x25519',
  key: 'k'.repeat(43),
  signingKey: 's'.repeat(43),
};

const grouping = { groups: 4, groupOf: () => 0 };
type Adding = Parameters<typeof whoSeesHidden>[0];

// By what an aggregation shows, whatever its name: openly, by two parties, by masks that cancel at one server.
it.each([
  [{ sees: 'sites' }, ['coordinator'], undefined],
  [{ sees: 'total', minimumSites: 5, helper }, ['coordinator', 'helper'], 'sealed'],
  [{ sees: 'total', minimumSites: 5, helper, grouping }, ['coordinator', 'helper'], 'sealed'],
  [{ sees: 'total', minimumSites: 5 }, ['coordinator'], 'cancel'],
] as const)('who sees what is true for %j', (aggregation: Adding, parties, masked) => {
  const views = partyTexts(aggregation);
  expect(views.map(({ party }) => party)).toEqual(parties);
  const text = whoSeesHidden(aggregation)?.join(' ');
  const sent = sentMaskedText(aggregation);
  if (masked === undefined) {
    expect([views[0].sees, text, sent]).toEqual([
      'the statistic of each site',
      undefined,
      undefined,
    ]);
    return;
  }
  expect(views[0].sees).toMatch(/^numbers that look random, and .*of 5 sites or more/);
  expect(text).toContain('numbers that look random');
  expect(text).toContain('of 5 sites or more');
  expect(partyTexts(aggregation, 'helper')[0].sees).toBe(
    `${views[0].sees}, with noise that the helper has added`,
  );
  const groups = aggregation.grouping === undefined ? 'the sum over the sites' : 'each of 4 groups';
  expect([views[0].sees, text]).toEqual([
    expect.stringContaining(groups),
    expect.stringContaining(groups),
  ]);
  expect(text?.includes('helper.example.org')).toBe(masked === 'sealed');
  expect(sent).toContain(masked);
});

it.each([
  ['hmac', 'The other parties get numbers that look random, and learn which of their own people'],
  [
    'ecdh',
    'The other party gets numbers that look random, and learns how many complete rows you have, and which of its own people',
  ],
] as const)(
  'where parties hold other columns and link by %s, it says what the others learn',
  (linkage, learn) => {
    const columnsAt = { parties: { a: ['x'], b: ['y'] }, linkage, helper };
    const said = whoSeesHidden({ sees: 'total', minimumSites: 2, columnsAt } as never);
    expect(said?.join(' ')).toContain(`${learn} are yours too: that is a disclosure of its own.`);
  },
);
