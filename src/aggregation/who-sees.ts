import type { Aggregation, Party } from './aggregation.ts';

/** A party of a study, and what it gets and learns. */
export interface PartyText {
  readonly party: Party;
  readonly sees: string;
}

type Adding = Pick<Aggregation, 'sees' | 'helper' | 'minimumSites' | 'grouping' | 'columnsAt'>;

/** What each party sees of the sites, one sentence each; `noise` is who adds some before the sum is opened. */
export function partyTexts(
  aggregation: Adding,
  noise: 'nobody' | 'helper' = 'nobody',
): PartyText[] {
  const { sees, helper } = aggregation;
  if (sees === 'sites') return [{ party: 'coordinator', sees: 'the statistic of each site' }];
  if (aggregation.columnsAt !== undefined) return columnsTexts(aggregation.columnsAt);
  const sum = `${sumText(aggregation)}${noise === 'helper' ? ', with noise that the helper has added' : ''}`;
  if (helper === undefined) {
    return [{ party: 'coordinator', sees: `numbers that look random, and ${sum}` }];
  }
  return [
    { party: 'coordinator', sees: `numbers that look random, and with the helper’s answer ${sum}` },
    {
      party: 'helper',
      sees: 'the names of the sites and a sealed seed of each, from which it makes masks; no number of a site, no sum and no model',
    },
  ];
}

/** Who sees what of a site, where nobody sees its numbers; undefined where the coordinator does. */
export function whoSeesHidden(aggregation: Adding): string[] | undefined {
  const { sees, helper } = aggregation;
  if (sees === 'sites') return undefined;
  if (aggregation.columnsAt !== undefined) return whoSeesColumns(aggregation.columnsAt);
  const everyone =
    'Everyone in the study sees the model, the names of the sites and how many rows there are in all.';
  if (helper === undefined) {
    return [
      'The coordinator gets numbers that look random.',
      `It learns only ${sumText(aggregation)}.`,
      'It could work out your numbers only together with many of the other sites.',
      everyone,
    ];
  }
  return [
    'The coordinator gets numbers that look random,',
    `and the helper at ${new URL(helper.url).host} a sealed seed. Neither of them alone learns anything about your rows.`,
    `Together they learn only ${sumText(aggregation)}.`,
    'They could work out your numbers if they worked together against you.',
    everyone,
  ];
}

function columnsTexts({ linkage }: NonNullable<Aggregation['columnsAt']>): PartyText[] {
  return [
    {
      party: 'coordinator',
      sees: 'encrypted messages, a share of each party, and the sums of the joined table; no row and no key',
    },
    {
      party: 'helper',
      sees:
        linkage === 'ecdh'
          ? 'how many people both parties have, and a digest; no token, no key, no column, no sum, and not how many rows a party has'
          : 'tokens of the keys, how many rows each party has and how many people all have; no key, no column, no sum',
    },
  ];
}

/** Who sees what where parties hold different columns of the same people. */
function whoSeesColumns({ helper, linkage }: NonNullable<Aggregation['columnsAt']>): string[] {
  const who = helper === undefined ? 'the helper' : `the helper at ${new URL(helper.url).host}`;
  return [
    'The coordinator learns only the sums of the joined table,',
    linkage === 'ecdh'
      ? `and ${who} how many people both parties have. The other party gets numbers that look random, and`
      : `and ${who} tokens of the keys. The other parties get numbers that look random, and`,
    linkage === 'ecdh'
      ? 'learns how many complete rows you have, and which of its own people are yours too: that is a disclosure of its own.'
      : 'learn which of their own people are yours too: that is a disclosure of its own.',
    'The helper and another party could work out your numbers if they worked together against you.',
    'Everyone in the study sees the model, the names of the parties and how many people all of them have.',
  ];
}

/** That the numbers of a site are hidden when they are sent; undefined where they are not. */
export function sentMaskedText({
  sees,
  helper,
  columnsAt,
}: Pick<Aggregation, 'sees' | 'helper' | 'columnsAt'>): string | undefined {
  if (sees === 'sites') return undefined;
  if (columnsAt !== undefined)
    return 'They are a share: only with those of the other parties do they say anything.';
  const opened =
    helper === undefined
      ? 'These numbers cancel in the sum over the sites.'
      : 'The seed of these numbers is sealed to the helper.';
  return `They are sent masked: a random number is taken off each of them. ${opened}`;
}

/** What a study gives up where nobody sees the numbers of one site. */
export const givenUpText =
  'What is given up: errors clustered by site, site effects, flags on single sites, and every question that needs the sites one by one. A penalty can be chosen by gcv, or by leaving out groups of sites.';

/** What is opened in the end. */
function sumText({
  minimumSites = 1,
  grouping,
}: Pick<Aggregation, 'minimumSites' | 'grouping'>): string {
  return grouping === undefined
    ? `the sum over the sites, of ${minimumSites} sites or more`
    : `the sum over each of ${grouping.groups} groups of sites, of ${minimumSites} sites or more each`;
}
