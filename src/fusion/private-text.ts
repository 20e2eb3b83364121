import { revealsRows } from '../privacy/private-summary.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { PrivacyTerms } from '../study/study.ts';

/** Who sees what in a private study. */
export function whoSeesPrivate(terms: PrivacyTerms): string[] {
  const local = terms.placement === 'local';
  const everyone = revealsRows(terms)
    ? 'Everyone in the study sees the model, the names of the sites and how many rows there are in all.'
    : 'Everyone in the study sees the model and the names of the sites, no exact number of rows.';
  if (terms.protects === 'labels') {
    const adding = local
      ? 'you add it here'
      : 'the coordinator, which sees exact sums, is trusted to add it';
    return [
      'Everything but the response counts as public, and sums of it leave',
      `exactly. Noise hides responses alone; ${adding}.`,
      everyone,
    ];
  }
  return local
    ? [
        'You add the noise yourself, so that you need trust nobody:',
        'the coordinator and everyone else sees your statistic with noise alone.',
        everyone,
      ]
    : [
        'The coordinator sees your statistic exactly and is trusted to',
        'add noise to the sum before anything is published, and to show it to nobody.',
        everyone,
      ];
}

/** What the numbers of a private study are, and whether they are exact. */
export function sentPrivateText({ privacy }: LinearLayout, { protects }: PrivacyTerms): string[] {
  const what =
    privacy?.kind === 'gradient'
      ? 'the direction in which your rows, each scaled to length 1, would move the coefficients.'
      : 'sums of products of your rows, each scaled to length 1, and their number.';
  const hidden =
    protects === 'labels'
      ? 'what the response of a row is; sums of all else are exact'
      : 'whether a row is among them';
  return privacy?.noise === 'at-sites'
    ? [what, `Noise has been added here, so that nobody can tell ${hidden}.`]
    : [
        what,
        'They are exact: the coordinator is trusted to add the noise before anything is published.',
      ];
}
