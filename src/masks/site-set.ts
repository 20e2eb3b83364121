import { fromBase64url, toBase64url } from '../text/base64url.ts';
import { byCodeUnit } from '../text/by-code-unit.ts';

type Roster = Readonly<Record<string, string>>;

/** Names of a roster in the order of code units, which is the same everywhere. */
export function rosterNames(roster: Roster): string[] {
  return Object.keys(roster).sort(byCodeUnit);
}

/** Some sites of a roster as text: one bit for each name in order, as base64url. */
export function siteSetText(roster: Roster, sites: Iterable<string>): string {
  const names = rosterNames(roster);
  const wanted = new Set(sites);
  const bytes = new Uint8Array(Math.ceil(names.length / 8));
  for (const [k, name] of names.entries()) if (wanted.has(name)) bytes[k >> 3] |= 1 << (k & 7);
  return toBase64url(bytes);
}

/** The sites of a text, in order of name; undefined if it is none for this roster. */
export function siteSet(roster: Roster, text: string): string[] | undefined {
  const names = rosterNames(roster);
  const bytes = fromBase64url(text);
  if (bytes?.length !== Math.ceil(names.length / 8)) return undefined;
  const sites = names.filter((_, k) => (bytes[k >> 3] >> (k & 7)) & 1);
  return siteSetText(roster, sites) === text ? sites : undefined;
}
