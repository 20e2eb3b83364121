/**
 * Fewest counted sites of a group, where sites that are in the same sets form a group. Whatever is worked out from the sums
 * over several sets is worked out from sums over whole groups, as long as no site changes what it sent.
 */
export function smallestGroup(
  sets: readonly Iterable<string>[],
  counts: (site: string) => boolean = () => true,
): number {
  const places = new Map<string, number[]>();
  for (const [place, sites] of sets.entries()) {
    for (const site of sites) {
      const known = places.get(site);
      if (known === undefined) places.set(site, [place]);
      else if (known.at(-1) !== place) known.push(place);
    }
  }
  const groups = new Map<string, number>();
  for (const [site, inSets] of places) {
    const name = inSets.join();
    groups.set(name, (groups.get(name) ?? 0) + (counts(site) ? 1 : 0));
  }
  return Math.min(...groups.values());
}
