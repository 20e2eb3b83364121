import type { PrivacyTerms } from '../study/study.ts';
import { guessBound } from './budget.ts';
import { muOf } from './calibration.ts';

/** The promise of a private study, in sentences. */
export function promiseText(terms: PrivacyTerms): string[] {
  const { epsilon, delta, unit, rowsPerPerson = 1, releases = 1, rounds = 0, refinement } = terms;
  const whose =
    unit === 'row'
      ? 'any one row'
      : `any one person (with up to ${rowsPerPerson} ${rowsPerPerson === 1 ? 'row' : 'rows'})`;
  const what = terms.protects === 'labels' ? `the response of ${whose}` : whose;
  const neighbours =
    terms.protects === 'labels' || terms.neighbours === 'replace-one'
      ? 'has its true value or another'
      : 'is in the data or not';
  const shared: string[] = [];
  if (releases > 1) shared.push(`${releases} resolutions`);
  if (rounds > 0) {
    const number = refinement ? `, of which this is number ${refinement.round + 1}` : '';
    shared.push(`${rounds + 1} rounds${number}`);
  }
  const mu = muOf(terms);
  const right = (100 * guessBound(mu)).toPrecision(3);
  return [
    `Private: anyone who sees everything published, and knows everything else, can judge whether ${what}`,
    `${neighbours}, and is right in at most ${right} of 100 cases; pure guessing is right in 50`,
    `(ε = ${epsilon}, δ = ${delta}, μ = ${mu.toPrecision(3)}${shared.length === 0 ? '' : `; shared by ${shared.join(' and ')}`}).`,
  ];
}
