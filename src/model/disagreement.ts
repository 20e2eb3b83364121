import { pPhrase } from '../text/number-text.ts';

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

/** What the p-value of a comparison of the sites says. */
export function agreementMeaning({ 'p.value': p }: { readonly 'p.value': number }): string {
  const often = p < 0.0001 ? 'in fewer than 1 of 10,000 studies' : `in ${share(p)} of 100 studies`;
  const verdict =
    p < SMALL
      ? 'So the sites probably differ in truth, and the one model is a mixture of them.'
      : 'So chance alone can explain how the sites differ.';
  return `If all sites had the same coefficients, they would differ this much ${often}. ${verdict}`;
}

function share(p: number): string {
  return String(Number((100 * p).toPrecision(2)));
}

/** The sentence that stands above a result. */
export function disagreementText({ test, 'p.value': p }: Disagreement): string {
  return `The sites disagree by more than chance explains (${test}’s test, ${pPhrase(p)}): one set of coefficients may describe none of them.`;
}
