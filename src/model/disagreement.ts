import { pEquation } from '../text/number-text.ts';

/** A test by which one model does not describe all sites. */
export interface Disagreement {
  /** Chow's F, or Cochran's Q of whole coefficient vectors where there is no residual variance. */
  readonly test: 'Chow' | 'Cochran';
  readonly 'p.value': number;
}

/** A p-value of the same coefficients at all sites below which it is said. */
const SMALL = 0.05;

/** The disagreement that a comparison of the sites shows, if its p-value is small. */
export function disagreementIn({
  chow,
  cochran,
}: {
  readonly chow?: { readonly 'p.value': number };
  readonly cochran?: { readonly 'p.value': number };
}): Disagreement | undefined {
  const p = (chow ?? cochran)?.['p.value'];
  if (p === undefined || !(p < SMALL)) return undefined;
  return { test: chow === undefined ? 'Cochran' : 'Chow', 'p.value': p };
}

/** The sentence that stands above a result. */
export function disagreementText({ test, 'p.value': p }: Disagreement): string {
  return `The sites disagree by more than chance explains (${test}’s test, ${pEquation(p)}): one set of coefficients may describe none of them.`;
}
