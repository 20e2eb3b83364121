import type { Charge } from '../privacy/charge.ts';
import type { ContributionTurn } from '../statistic/envelope.ts';
import type { Column } from '../study/codebook.ts';
import { digestJson } from '../study/digest.ts';
import { type Charged, spentOn } from './charge.ts';
import { symmetricDifference, without } from './differencing.ts';
import { joinTags, type RowTags } from './row-tags.ts';

/** A column of the file as a release read it. */
export interface ReleasedColumn {
  readonly name: string;
  readonly column: Column;
}

/** What became of a release: what was sent has left the site, even where the coordinator refused it. */
export type ReleaseOutcome = 'acknowledged' | 'refused' | 'written';

/** What has left a site before, or may have. */
export interface PastRelease {
  /** Digest of the contribution's file. */
  readonly digest: string;
  /** Digest of the study. */
  readonly study: string;
  readonly site: string;
  readonly at: string;
  readonly mode: ContributionTurn['mode'];
  readonly rows: number;
  /** Columns the statistic was made of, weights included; empty where that was not written down. */
  readonly columns: readonly ReleasedColumn[];
  /** Tags of its rows over these columns, in this order; none where they were not kept. */
  readonly tags?: RowTags;
  /** What it cost its rows in a private study; an exact release has none. */
  readonly charge?: Omit<Charged, 'study' | 'site'>;
  /** The column of weights, and the labels of the statistic's columns, where they were written down. */
  readonly weights?: string;
  readonly labels?: readonly string[];
  /** None of what waits for its receipt. */
  readonly outcome?: ReleaseOutcome;
}

/** What is about to leave. */
export interface PresentRelease {
  readonly study: string;
  readonly site: string;
  readonly mode: ContributionTurn['mode'];
  readonly columns: readonly ReleasedColumn[];
  readonly charge?: Charge;
  readonly weights?: string;
  /** Labels of the statistic's columns. */
  readonly labels: readonly string[];
  /** Tags of the rows used now over the columns of a past release, by its digest; none where the file lacks a column. */
  readonly tags: ReadonlyMap<string, RowTags>;
}

/** What rules R9–R11 (disclosure/history-rules.ts) ask of a site's past. */
export interface History {
  /** Rows by which what leaves now differs from an earlier release, or from all that a study had of the site then. */
  readonly differences: readonly { readonly at: string; readonly rows: number }[];
  /** Distinct columns of statistics out on mostly the same rows once this has left. */
  readonly releasedColumns: number;
  /** √Σμ² of earlier private releases that share a row with this one, or may, beside what this one's own charge covers. */
  readonly spentMu: number;
  /** Of a private release: another study, or another coordinator of this one, has had these rows for the same round of the same promise, or may have. */
  readonly sameRound: boolean;
  /** How much of these rows the study has had under another site's name. */
  readonly otherSite: 'none' | 'some' | 'most';
  /** Contributions with these rows, or maybe, that this very study has had. */
  readonly contributions: number;
  /** Whether what leaves now stands beside them, not in their place. */
  readonly adds: boolean;
  /** An exact release of some of these rows has left before. */
  readonly exactBefore: boolean;
  /** Earlier releases that cannot be compared: the file lacks their columns, or their tags were not kept. */
  readonly incomparable: number;
  /** Of an `add`: rows that the study has from this site already. */
  readonly repeated?: number;
  /** Digests of the earlier private releases that share a row with this one, or may; the ledger keeps them. */
  readonly shared?: readonly string[];
}

/** Two releases are of mostly the same rows from this share of the smaller one on. */
const MOSTLY = 0.5;

/** What leaves now, seen against all that has left before; `past` in the order it left. */
export function historyOf(now: PresentRelease, past: readonly PastRelease[]): History {
  const overlaps = past.map((release) => overlapOf(now, release));
  const shared = past.flatMap(({ study, site, digest, charge }, k) =>
    charge === undefined || overlaps[k] === 'apart' ? [] : [{ study, site, digest, ...charge }],
  );
  const { charge } = now;
  const here = ({ study, place }: Charged) => study === now.study && place === charge?.place;
  const covered = (one: Charged) =>
    charge?.placement === 'central' && here(one) && one.site === now.site;
  const studies = groupsBy(past, ({ study, site }) => digestJson([study, site]));
  const own = studies.find(([{ study, site }]) => study === now.study && site === now.site) ?? [];
  const repeated = now.mode === 'add' ? repeatedRows(now, own) : 0;
  return {
    differences: [
      ...studies.flatMap((releases) => differencesFrom(tagsOver(now, releases), releases)),
      ...(now.mode === 'add' ? differencesOfTotal(now, own) : []),
    ],
    releasedColumns: new Set([
      ...now.labels,
      ...past.flatMap((release, k) => (overlaps[k] === 'mostly' ? labelsOf(release) : [])),
    ]).size,
    spentMu: spentOn(shared.filter((one) => !covered(one))),
    sameRound: shared.some(
      (one) =>
        charge !== undefined &&
        !here(one) &&
        one.promise === charge.promise &&
        one.round === charge.round,
    ),
    otherSite: overlapElsewhere(now, past, overlaps),
    adds: now.mode === 'add',
    contributions: past.filter(({ study }, k) => study === now.study && overlaps[k] !== 'apart')
      .length,
    exactBefore: past.some(
      ({ charge }, k) =>
        charge === undefined && (overlaps[k] === 'partly' || overlaps[k] === 'mostly'),
    ),
    incomparable: past.filter(
      ({ weights }, k) =>
        overlaps[k] === 'unknown' || (overlaps[k] !== 'apart' && weights !== now.weights),
    ).length,
    ...(repeated > 0 ? { repeated } : {}),
    shared: shared.map(({ digest }) => digest),
  };
}

function overlapElsewhere(
  now: PresentRelease,
  past: readonly PastRelease[],
  overlaps: readonly ReturnType<typeof overlapOf>[],
): History['otherSite'] {
  const found = past.flatMap(({ study, site }, k) =>
    study === now.study && site !== now.site ? [overlaps[k]] : [],
  );
  if (found.includes('mostly')) return 'most';
  return found.some((overlap) => overlap !== 'apart') ? 'some' : 'none';
}

function overlapOf(now: PresentRelease, { digest, tags, charge }: PastRelease) {
  const own = now.tags.get(digest);
  if (own === undefined || tags === undefined) return 'unknown';
  const { common } = symmetricDifference(own, tags);
  // Other rows may be of the same people.
  const ofPersons = now.charge?.unit === 'person' || charge?.unit === 'person';
  if (common === 0) return ofPersons ? 'partly' : 'apart';
  return common >= MOSTLY * Math.min(own.length, tags.length) ? 'mostly' : 'partly';
}

/** The tags of the rows used now over the columns of one study, which all its releases share. */
function tagsOver(now: PresentRelease, releases: readonly PastRelease[]): RowTags | undefined {
  const known = releases.find(({ digest }) => now.tags.has(digest));
  return known && now.tags.get(known.digest);
}

/**
 * How rows differ from each release of a site to a study, and from the total the study had of the site after each.
 * For multisets common(n, a + b) = common(n, a) + common(n − a, b), so that totals are never put together.
 */
function differencesFrom(
  rows: RowTags | undefined,
  releases: readonly PastRelease[],
): { at: string; rows: number }[] {
  if (rows === undefined) return [];
  const differences: { at: string; rows: number }[] = [];
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
    // A total with a part that cannot be compared cannot be either.
    rest = rest && tags && without(rest, tags);
    if (rest === undefined || tags === undefined) continue;
    size += tags.length;
    if (parts > 1) differences.push({ at, rows: 2 * rest.length + size - rows.length });
  }
  return differences;
}

/** An added part makes a new total, which differs from what the study had of the site at earlier times. */
function differencesOfTotal(
  now: PresentRelease,
  own: readonly PastRelease[],
): { at: string; rows: number }[] {
  const added = tagsOver(now, own);
  const parts = standingOf(own);
  const known = parts.flatMap(({ tags }) => (tags === undefined ? [] : [tags]));
  if (added === undefined || known.length < parts.length) return [];
  // From what the study has now it differs by the part itself, which the other rules judge.
  const latest = own.findLastIndex(({ outcome }) => outcome !== 'refused');
  const earlier = own.filter((_, k) => k !== latest);
  return differencesFrom(joinTags([...known, added]), earlier);
}

function repeatedRows(now: PresentRelease, own: readonly PastRelease[]): number {
  const added = tagsOver(now, own);
  if (added === undefined) return 0;
  const rest = standingOf(own).reduce(
    (left, { tags }) => (tags === undefined ? left : without(left, tags)),
    added,
  );
  return added.length - rest.length;
}

/** The releases of a site that a study counts, as far as the site knows: none before the last that replaced. */
function standingOf(own: readonly PastRelease[]): readonly PastRelease[] {
  const taken = own.filter(({ outcome }) => outcome !== 'refused');
  const last = taken.findLastIndex(({ mode }) => mode === 'replace');
  return taken.slice(Math.max(0, last));
}

/** The columns of a past statistic; where they were not written down, a column each, and of a category one a level but one. */
function labelsOf({ labels, columns }: PastRelease): readonly string[] {
  if (labels !== undefined) return labels;
  return columns.flatMap(({ name, column }) =>
    column.type === 'category' ? column.levels.slice(1).map((level) => name + level) : [name],
  );
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
