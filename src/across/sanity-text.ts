import { flagsText } from '../model/flags-text.ts';
import { type Ink, plainInk } from '../model/text-table.ts';
import type { Sanity } from './sanity.ts';

/** What looks wrong about the sites, or that nothing does. */
export function sanityText({ flags }: Sanity, ink: Ink = plainInk): string {
  const body = flags.length === 0 ? 'Nothing looks wrong.' : flagsText(flags, ink);
  return `${ink.bold('Does anything about a site look wrong?')}\n${body}\n`;
}
