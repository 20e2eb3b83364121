import { type Charged, spentOn } from './charge.ts';

/** A private release, and which earlier private ones share a row with it; undefined where that is not known. */
export interface PrivateRelease extends Charged {
  readonly digest: string;
  readonly shared?: readonly string[];
}

/** Private releases that hang together by their rows, and what they spent in all. */
export interface Spent {
  readonly releases: readonly string[];
  /** √Σμ², once a study where the noise is central: no row has spent more, since the releases a row is in all share it. */
  readonly mu: number;
}

/** What was spent, by rows: releases without a common row compose in parallel. `releases` in the order they left. */
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
