import type { Aggregation, Party } from './aggregation.ts';

/** A party of a study, and what it gets and learns. */
export interface PartyText {
  readonly party: Party;
  readonly sees: string;
}

type Adding = Pick<Aggregation, 'sees' | 'helper' | 'minimumSites' | 'grouping'>;

/** What each party sees of the sites, one sentence each; `noise` is who adds some before the sum is opened. */
export function partyTexts(
  aggregation: Adding,
  noise: 'nobody' | 'helper' = 'nobody',
): PartyText[] {
  const { sees, helper } = aggregation;
  if (sees === 'sites') return [{ party: 'coordinator', sees: 'the statistic of each site' }];
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

/** That the numbers of a site are hidden when they are sent; undefined where they are not. */
export function sentMaskedText({
  sees,
  helper,
}: Pick<Aggregation, 'sees' | 'helper'>): string | undefined {
  if (sees === 'sites') return undefined;
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
