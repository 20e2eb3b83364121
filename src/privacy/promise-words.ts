import type { PrivacyTerms } from '../study/study.ts';
import { attackBound } from './budget.ts';
import { muOf } from './calibration.ts';

/** What a private study promises, in sentences. */
export function promiseWords(terms: PrivacyTerms): string[] {
  const { epsilon, delta, unit, rowsPerPerson = 1, releases = 1, rounds = 0, refinement } = terms;
  const whose =
    unit === 'row'
      ? 'any one row'
      : `any one person (with up to ${rowsPerPerson} ${rowsPerPerson === 1 ? 'row' : 'rows'})`;
  const what = terms.protects === 'labels' ? `the response of ${whose}` : whose;
  const neighbours =
    terms.protects === 'labels' || terms.neighbours === 'replace-one'
      ? 'is what it is or something else'
      : 'is in the data or not';
  const shared = [
    ...(releases > 1 ? [`${releases} resolutions`] : []),
    ...(rounds > 0
      ? [
          `${rounds + 1} rounds${refinement ? `, of which this is number ${refinement.round + 1}` : ''}`,
        ]
      : []),
  ];
  const mu = muOf(terms);
  const right = (100 * attackBound(mu)).toPrecision(3);
  return [
    `Private: whoever sees all that is published, and knows everything else, can tell whether ${what}`,
    `${neighbours} in at most ${right} of 100 cases, where guessing is right in 50`,
    `(ε = ${epsilon}, δ = ${delta}, μ = ${mu.toPrecision(3)}${shared.length === 0 ? '' : `; shared by ${shared.join(' and ')}`}).`,
  ];
}
