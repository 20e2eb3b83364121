import { type Ink, plainInk } from '../model/text-table.ts';
import type { Sanity } from './sanity.ts';

/** Each doubt with its evidence and what to ask. */
export function sanityText({ flags }: Sanity, ink: Ink = plainInk): string {
  if (flags.length === 0) return 'Nothing about the sites looks wrong.\n';
  const lines = flags.map(
    ({ site, kind, evidence, advice }) =>
      `${ink.bold(site)} (${kind}): ${evidence}\n  ${ink.faint(advice)}`,
  );
  return `${lines.join('\n')}\n`;
}
