import { grouped } from '../text/number-text.ts';
import { visibleText } from '../text/visible-text.ts';
import type { Summary } from './cross-product.ts';

/** What was done to rows of a private study in place of refusing the file, line by line. */
export function adjustedText({ adjusted }: Pick<Summary, 'adjusted'>): string[] {
  if (adjusted === undefined) return [];
  const { bounded, unlabelled, beyondPerson, valueless } = adjusted;
  const moved = Object.entries(bounded).map(([name, n]) => `${visibleText(name)} ${grouped(n)}`);
  return [
    ...(moved.length === 0
      ? []
      : [`cells moved to the nearest end of the range: ${moved.join(', ')}`]),
    ...(unlabelled === 0
      ? []
      : [`rows without a response, which counts as the public centre: ${grouped(unlabelled)}`]),
    ...(beyondPerson === 0
      ? []
      : [`rows left out, their persons have more than the study hides: ${grouped(beyondPerson)}`]),
    ...(valueless === 0
      ? []
      : [`rows left out, the formula has no value for them: ${grouped(valueless)}`]),
  ];
}
