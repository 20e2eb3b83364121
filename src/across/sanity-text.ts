import { flagsText } from '../model/flags-text.ts';
import { type Ink, plainInk } from '../model/text-table.ts';
import type { Sanity } from './sanity.ts';

/** What looks wrong about the sites, or that nothing does. */
export function sanityText({ flags }: Sanity, ink: Ink = plainInk): string {
  if (flags.length === 0) return 'Nothing about the sites looks wrong.\n';
  return `${flagsText(flags, ink)}\n`;
}
