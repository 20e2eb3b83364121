import { digestJson } from '../study/digest.ts';
import { peopleOf } from './overlap.ts';
import { type PastRelease, type PresentRelease, tagFormOf } from './release.ts';
import { joinTags, type RowTags, symmetricDifference, without } from './row-tags.ts';

/** By how many rows or persons a release differs from an earlier one. */
export interface RowDifference {
  readonly at: string;
  readonly rows: number;
}

/** How this release differs from each earlier one, and from all that a study had from the site at that time. */
export function releaseDifferences(
  now: PresentRelease,
  past: readonly PastRelease[],
): RowDifference[] {
  return [
    ...past.flatMap((release) => differencesOfPeople(now, release)),
    ...studiesOf(past)
      .flatMap(runsOf)
      .flatMap((run) => differencesFrom(tagsOver(now, run), run)),
    ...(now.mode === 'add' ? differencesOfTotal(now, ownOf(now, past)) : []),
  ];
}

/** Number of studies that have rows in tags of both forms, whose totals cannot be compared. */
export function mixedTotals(past: readonly PastRelease[]): number {
  return studiesOf(past).filter((releases) =>
    runsOf(releases)
      .slice(1)
      .some(([first]) => first.mode === 'add'),
  ).length;
}

/** How many of the added rows the study has already. */
export function repeatedRows(now: PresentRelease, past: readonly PastRelease[]): number {
  if (now.mode !== 'add') return 0;
  const repeated = runsOf(activeReleases(ownOf(now, past))).map((run) => {
    const added = tagsOver(now, run) ?? new BigUint64Array();
    const rest = run.reduce(
      (left, { tags }) => (tags === undefined ? left : without(left, tags)),
      added,
    );
    return added.length - rest.length;
  });
  return repeated.reduce((sum, count) => sum + count, 0);
}

/** By how many persons the release differs, where both know them. */
function differencesOfPeople(now: PresentRelease, release: PastRelease): RowDifference[] {
  const people = peopleOf(now, release);
  if (people === undefined) return [];
  const { onlyA, onlyB } = symmetricDifference(...people);
  return [{ at: release.at, rows: onlyA + onlyB }];
}

/** The tags of the current rows over the columns of releases that share them. */
function tagsOver(now: PresentRelease, releases: readonly PastRelease[]): RowTags | undefined {
  const known = releases.find(({ digest }) => now.tags.has(digest));
  return known && now.tags.get(known.digest);
}

/**
 * How the rows differ from each release of a site to a study, and from the study's total of the site after each.
 * For multisets common(n, a + b) = common(n, a) + common(n − a, b), so no total has to be formed.
 */
function differencesFrom(
  rows: RowTags | undefined,
  releases: readonly PastRelease[],
): RowDifference[] {
  if (rows === undefined) return [];
  const differences: RowDifference[] = [];
  let parts = 0;
  let size = 0;
  let rest: RowTags | undefined = rows;
  for (const { at, tags, mode, outcome } of releases) {
    if (tags !== undefined) {
      const { onlyA, onlyB } = symmetricDifference(rows, tags);
      differences.push({ at, rows: onlyA + onlyB });
    }
    if (outcome === 'refused') continue;
    if (mode === 'replace') {
      parts = 0;
      size = 0;
      rest = rows;
    }
    parts++;
    // A total cannot be compared if one of its contributions cannot.
    rest = rest && tags && without(rest, tags);
    if (rest === undefined || tags === undefined) continue;
    size += tags.length;
    if (parts > 1) differences.push({ at, rows: 2 * rest.length + size - rows.length });
  }
  return differences;
}

/** Added rows make a new total, which is compared with the study's earlier totals of the site. */
function differencesOfTotal(now: PresentRelease, own: readonly PastRelease[]): RowDifference[] {
  if (runsOf(own).length > 1) return [];
  const added = tagsOver(now, own);
  const parts = activeReleases(own);
  const known = parts.flatMap(({ tags }) => (tags === undefined ? [] : [tags]));
  if (added === undefined || known.length < parts.length) return [];
  // It differs from the present total by the added rows, which the other rules check.
  const latest = own.findLastIndex(({ outcome }) => outcome !== 'refused');
  const earlier = own.filter((_, k) => k !== latest);
  return differencesFrom(joinTags([...known, added]), earlier);
}

/** The releases of a site that are active in a study, as far as the site knows: those since the last replacement. */
function activeReleases(own: readonly PastRelease[]): readonly PastRelease[] {
  const taken = own.filter(({ outcome }) => outcome !== 'refused');
  const last = taken.findLastIndex(({ mode }) => mode === 'replace');
  return taken.slice(Math.max(0, last));
}

/** What the study has from this site. */
function ownOf(now: PresentRelease, past: readonly PastRelease[]): PastRelease[] {
  return past.filter(
    ({ study, site, evaluated }) =>
      study === now.study && site === now.site && evaluated === undefined,
  );
}

/** Releases of one site to one study; counts of an evaluation are in no total of a study. */
function studiesOf(past: readonly PastRelease[]): PastRelease[][] {
  return groupsBy(past, ({ study, site, evaluated, digest }) =>
    digestJson([study, site, evaluated === undefined ? '' : digest]),
  );
}

/** Releases that follow each other and have tags of one form. */
function runsOf(releases: readonly PastRelease[]): PastRelease[][] {
  const runs: PastRelease[][] = [];
  for (const release of releases) {
    const run = runs.at(-1);
    if (run === undefined || tagFormOf(run[0]) !== tagFormOf(release)) runs.push([release]);
    else run.push(release);
  }
  return runs;
}

function groupsBy<T>(items: readonly T[], keyOf: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}
