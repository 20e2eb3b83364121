import type { Agreement } from '../federate.ts';
import type { SetMember } from '../protocol/helper-messages.ts';
import type { SealedOpening } from '../protocol/opening-messages.ts';
import { Refusal } from '../protocol/refusal.ts';
import { isSealed } from '../protocol/signature.ts';

/**
 * Names of the sites whose signed word says that the coordinator may see their contributions. Refuses a word for another study or
 * other contributions, or one that the site has not signed.
 */
export function openedSites(
  { digest, aggregation: { roster = {} } }: Agreement,
  openings: readonly SealedOpening[],
  sets: readonly { readonly members: readonly SetMember[] }[],
): Set<string> {
  const sequences = sequencesBySite(sets);
  for (const opening of openings) {
    const { study, site, contributions, seal } = opening;
    const signed = Object.hasOwn(roster, site) && roster[site] === seal.key && isSealed(opening);
    if (!signed) throw refused(site, 'is not signed by the site');
    if (study !== digest) throw refused(site, 'is for another study');
    const agreed = contributions.map(({ sequence }) => sequence).join();
    if (agreed !== sequences.get(site)?.join()) throw refused(site, 'is for other contributions');
  }
  return new Set(openings.map(({ site }) => site));
}

function sequencesBySite(
  sets: Parameters<typeof openedSites>[2],
): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, Set<number>>();
  for (const [site, sequence] of sets.flatMap(({ members }) => members)) {
    const known = found.get(site) ?? new Set();
    found.set(site, known.add(sequence));
  }
  return new Map([...found].map(([site, all]) => [site, [...all].sort((a, b) => a - b)]));
}

function refused(site: string, why: string): Refusal {
  return new Refusal(
    'not-allowed',
    `the word of ${site} that its contributions may be opened ${why}`,
    'ask the site to agree again, with the key of the roster',
  );
}
