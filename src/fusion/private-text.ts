import type { Aggregation } from '../aggregation/aggregation.ts';
import { revealsRows } from '../privacy/private-summary.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { PrivacyTerms } from '../study/study.ts';

/** Who adds the noise, and whether the one who does sees a site's sums or the total alone. */
type Adder =
  | 'site'
  | 'coordinator, sees sites'
  | 'coordinator, sees the total'
  | 'both aggregators';

function adderOf({ placement = 'central' }: PrivacyTerms, { sees }: Pick<Aggregation, 'sees'>) {
  const adders: Readonly<Record<typeof placement, Adder>> = {
    local: 'site',
    aggregators: 'both aggregators',
    central: sees === 'sites' ? 'coordinator, sees sites' : 'coordinator, sees the total',
  };
  return adders[placement];
}

const sentences: Readonly<Record<Adder, readonly string[]>> = {
  site: [
    'You add the noise yourself, so that you need trust nobody:',
    'the coordinator and everyone else sees your statistic with noise alone.',
  ],
  'coordinator, sees sites': [
    'The coordinator sees your statistic exactly and is trusted to',
    'add noise to the sum before anything is published, and to show it to nobody.',
  ],
  'coordinator, sees the total': [
    'The coordinator sees no site’s statistic. It opens the exact sum over the sites and is trusted to',
    'add noise to it before anything is published, and to show it to nobody.',
  ],
  'both aggregators': [
    'Nobody sees your statistic, and nobody sees an exact sum: the coordinator and the helper each add noise',
    'that the other does not know. You need trust one of them: that it adds its noise and does not work with the other.',
  ],
};

const addersOfLabelNoise: Readonly<Record<Adder, string>> = {
  site: 'you add it here',
  'coordinator, sees sites': 'the coordinator, which sees exact sums, is trusted to add it',
  'coordinator, sees the total':
    'the coordinator, which sees the exact sum over the sites, is trusted to add it',
  'both aggregators': 'the coordinator and the helper each add it, and neither knows the other’s',
};

/** Who sees what in a private study. */
export function whoSeesPrivate(
  terms: PrivacyTerms,
  aggregation: Pick<Aggregation, 'sees'>,
): string[] {
  const adder = adderOf(terms, aggregation);
  const everyone = revealsRows(terms)
    ? 'Everyone in the study sees the model, the names of the sites and how many rows there are in all.'
    : 'Everyone in the study sees the model and the names of the sites, no exact number of rows.';
  if (terms.protects === 'labels') {
    return [
      'Everything but the response counts as public, and sums of it leave',
      `exactly. Noise hides responses alone; ${addersOfLabelNoise[adder]}.`,
      everyone,
    ];
  }
  return [...sentences[adder], everyone];
}

/** What the numbers of a private study are, and whether they are exact. */
export function sentPrivateText(
  { privacy }: LinearLayout,
  terms: PrivacyTerms,
  aggregation: Pick<Aggregation, 'sees'>,
): string[] {
  const what =
    privacy?.kind === 'gradient'
      ? 'the direction in which your rows, each scaled to length 1, would move the coefficients.'
      : 'sums of products of your rows, each scaled to length 1, and their number.';
  const hidden =
    terms.protects === 'labels'
      ? 'what the response of a row is; sums of all else are exact'
      : 'whether a row is among them';
  const protection: Readonly<Record<Adder, string>> = {
    site: `Noise has been added here, so that nobody can tell ${hidden}.`,
    'coordinator, sees sites':
      'They are exact: the coordinator is trusted to add the noise before anything is published.',
    'coordinator, sees the total':
      'They leave masked. The coordinator opens their exact sum over the sites and is trusted to add the noise before anything is published.',
    'both aggregators': `They leave masked. The coordinator and the helper add noise before their sum over the sites is opened, so that nobody can tell ${hidden}.`,
  };
  return [what, protection[adderOf(terms, aggregation)]];
}

/** A note for the analyst where a coordinator that sees no site opens the exact total all the same. */
export function openedTotalNotes(
  terms: PrivacyTerms,
  aggregation: Pick<Aggregation, 'sees' | 'helper'>,
): string[] {
  const opens = adderOf(terms, aggregation) === 'coordinator, sees the total';
  return opens && aggregation.helper !== undefined
    ? [
        'the coordinator opens the exact total before it adds the noise; with "placement": "aggregators" the helper adds noise first, and the variance of the noise doubles',
      ]
    : [];
}
