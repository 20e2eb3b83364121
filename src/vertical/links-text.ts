import { grouped } from '../text/number-text.ts';
import type { LinkedPart } from './linked-part.ts';

/** How many people were linked, in all and in each pass. */
export function linksText(
  people: number,
  parties: readonly { readonly name: string; readonly passes: LinkedPart['passes'] }[],
  keys: readonly (readonly string[])[],
): string[] {
  const each = keys.map((names, k) => {
    const shared = parties
      .filter(({ passes }) => passes[k].duplicates > 0)
      .map(({ name, passes }) => `${grouped(passes[k].duplicates)} rows of ${name}`);
    const unlinked =
      shared.length === 0 ? '' : `; ${shared.join(', ')} share a key and were not linked by it`;
    return `  pass ${k + 1} (${names.join(', ')}): ${grouped(parties[0].passes[k].linked)} linked${unlinked}`;
  });
  return [`${grouped(people)} people are linked`, ...each];
}
