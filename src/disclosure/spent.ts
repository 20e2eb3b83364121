import { composed } from '../privacy/budget.ts';
import type { Charge } from '../privacy/charge.ts';
import { isChargedByTotal } from '../privacy/placement.ts';

/** A private release, and the earlier private ones that share a row with it; undefined if unknown. */
export interface PrivateRelease extends Charged {
  readonly digest: string;
  readonly shared?: readonly string[];
}

/** Private releases that are linked by shared rows, and what they spent together. */
export interface Spent {
  readonly releases: readonly string[];
  /** √Σμ², once per study if the noise is on the total. No row has spent more, because all releases with that row are in this group. */
  readonly mu: number;
}

/** Spending by groups of linked releases: those without a common row compose in parallel. `releases` is in the order of sending. */
export function spentByRows(releases: readonly PrivateRelease[]): Spent[] {
  let groups: PrivateRelease[][] = [];
  for (const release of releases) {
    const touches = (group: readonly PrivateRelease[]) =>
      release.shared === undefined || group.some(({ digest }) => release.shared?.includes(digest));
    const apart = groups.filter((group) => !touches(group));
    groups = [...apart, [...groups.filter(touches).flat(), release]];
  }
  return groups.map((group) => ({
    releases: group.map(({ digest }) => digest),
    mu: spentOn(group),
  }));
}

/** A recorded charge and its study; the placement may not be recorded. */
export interface Charged extends Partial<Omit<Charge, 'mu'>> {
  readonly study: string;
  readonly site: string;
  readonly mu: number;
}

/** √Σμ² over charges for the same rows: where noise is on the total, they count once per study, site and place. */
export function spentOn(charges: readonly Charged[]): number {
  const byTotal = new Map<string, number>();
  const each: number[] = [];
  for (const { study, site, place, mu, placement } of charges) {
    const key = JSON.stringify([study, site, place]);
    if (isChargedByTotal(placement)) byTotal.set(key, Math.max(mu, byTotal.get(key) ?? 0));
    else each.push(mu);
  }
  return composed([...byTotal.values(), ...each]);
}
