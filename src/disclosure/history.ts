import type { Charge } from '../privacy/charge.ts';
import type { ContributionNumbering } from '../statistic/envelope.ts';
import type { Column } from '../study/codebook.ts';
import { digestJson } from '../study/digest.ts';
import { type Overlap, overlapOf, peopleOf } from './overlap.ts';
import { type Residue, smallResidues } from './residues.ts';
import { personCells, rowCells } from './row-cells.ts';
import { joinTags, type RowTags, symmetricDifference, without } from './row-tags.ts';
import { type Charged, spentOn } from './spent.ts';

/** A column of the file as a release read it. */
export interface ReleasedColumn {
  readonly name: string;
  readonly column: Column;
}

/** What happened to a release. A release that was sent has left the site, even if the coordinator refused it. */
export type ReleaseOutcome = 'acknowledged' | 'refused' | 'written';

/** An earlier release of a site, or one that may have been sent. */
export interface PastRelease {
  /** Digest of the contribution's file. */
  readonly digest: string;
  /** Digest of the study. */
  readonly study: string;
  readonly site: string;
  readonly at: string;
  readonly mode: ContributionNumbering['mode'];
  readonly rows: number;
  /** Rows of the file, with those that were not used; absent if they were not recorded. */
  readonly fileRows?: number;
  /** Columns behind the statistic, weights included; empty if they were not recorded. */
  readonly columns: readonly ReleasedColumn[];
  /** Tags of its rows over these columns, in this order; absent if they were not kept. */
  readonly tags?: RowTags;
  /** `cells` if the tags are of what the cells say; absent for tags of numbers and level codes. */
  readonly tagForm?: 'cells';
  /** The id column, and the tags of the persons in it; absent if a row had no id. */
  readonly person?: string;
  readonly people?: RowTags;
  /** Its privacy cost; absent for an exact release. */
  readonly charge?: Omit<Charged, 'study' | 'site'>;
  /** The column of weights, and the labels of the statistic's columns, if they were recorded. */
  readonly weights?: string;
  readonly labels?: readonly string[];
  /** Absent while the receipt is pending. */
  readonly outcome?: ReleaseOutcome;
}

/** The release that is being checked. */
export interface PresentRelease {
  readonly study: string;
  readonly site: string;
  readonly mode: ContributionNumbering['mode'];
  readonly columns: readonly ReleasedColumn[];
  readonly charge?: Charge;
  readonly weights?: string;
  /** Labels of the statistic's columns. */
  readonly labels: readonly string[];
  /** Tags of the current rows over the columns of each past release, by its digest; absent if the file lacks a column. */
  readonly tags: ReadonlyMap<string, RowTags>;
  /** Tags of the persons in the current rows, by the id column. */
  readonly people?: ReadonlyMap<string, RowTags>;
  /** The whole file: which rows are used, and the tags of all rows over the columns of each past release. */
  readonly file?: {
    readonly used: Uint8Array;
    readonly tags: ReadonlyMap<string, BigUint64Array>;
  };
  /** Combinations of releases that leave fewer rows than this are looked for. */
  readonly least?: number;
}

/** What rules R9–R11 need to know about a site's earlier releases. */
export interface History {
  /** Rows by which this release differs from an earlier one, or from all that a study had from the site at that time. */
  readonly differences: readonly { readonly at: string; readonly rows: number }[];
  /** Few rows that remain after two or three earlier releases are added to this one or subtracted. */
  readonly residues?: readonly Residue[];
  /** Distinct columns of all statistics on mostly the same rows, this one included. */
  readonly releasedColumns: number;
  /** √Σμ² of earlier private releases that share a row with this one, or may; without those that this one's charge covers. */
  readonly spentMu: number;
  /** In a private study: whether another study, or another coordinator of this one, has these rows for the same round of the same promise, or may have. */
  readonly sameRound: boolean;
  /** How many of these rows the study already has under another site's name. */
  readonly otherSite: 'none' | 'some' | 'most';
  /** Contributions to this study that have these rows, or may have. */
  readonly contributions: number;
  /** Whether this release is added to them and does not replace them. */
  readonly adds: boolean;
  /** Whether an earlier exact release has some of these rows. */
  readonly exactBefore: boolean;
  /** Number of earlier releases that cannot be compared: the file lacks their columns, or their tags were not kept. */
  readonly incomparable: number;
  /** Number of earlier private releases of a table like this one, with other values: perhaps the same people. */
  readonly likeTables?: number;
  /** Number of earlier private releases that cannot be compared; they count as spent on these rows. */
  readonly unknownSpent?: number;
  /** If rows are added: how many of them the study already has from this site. */
  readonly repeated?: number;
  /** Digests of earlier private releases that share a row with this one, or may; the ledger records them. */
  readonly shared?: readonly string[];
}

/** Compares this release with all earlier ones; `past` is in the order of sending. */
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
  const residues = residuesOf(now, past);
  const spent = (overlap: Overlap) =>
    past.filter(({ charge }, k) => charge !== undefined && overlaps[k] === overlap).length;
  return {
    differences: [
      ...past.flatMap((release) => differencesOfPeople(now, release)),
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
    ...(residues.length > 0 ? { residues } : {}),
    ...(spent('like') > 0 ? { likeTables: spent('like') } : {}),
    ...(spent('unknown') > 0 ? { unknownSpent: spent('unknown') } : {}),
    ...(repeated > 0 ? { repeated } : {}),
    shared: shared.map(({ digest }) => digest),
  };
}

function overlapElsewhere(
  now: PresentRelease,
  past: readonly PastRelease[],
  overlaps: readonly Overlap[],
): History['otherSite'] {
  const found = past.flatMap(({ study, site }, k) =>
    study === now.study && site !== now.site ? [overlaps[k]] : [],
  );
  if (found.includes('mostly')) return 'most';
  return found.some((overlap) => overlap !== 'apart' && overlap !== 'like') ? 'some' : 'none';
}

/** By how many persons the release differs, where both know them. */
function differencesOfPeople(
  now: PresentRelease,
  release: PastRelease,
): { at: string; rows: number }[] {
  const people = peopleOf(now, release);
  if (people === undefined) return [];
  const { onlyA, onlyB } = symmetricDifference(...people);
  return [{ at: release.at, rows: onlyA + onlyB }];
}

/** Small residues by rows, and by persons where the releases know them. */
function residuesOf(now: PresentRelease, past: readonly PastRelease[]): readonly Residue[] {
  const { file, least = 0, people = new Map<string, RowTags>() } = now;
  if (least === 0 || file === undefined) return [];
  const tagged = past.flatMap(({ at, digest, tags }) => {
    const fileTags = file.tags.get(digest);
    return fileTags === undefined || tags === undefined ? [] : [{ at, tags, fileTags }];
  });
  const rows = rowCells(file.used, tagged);
  const found = smallResidues(rows.now, rows.past, least);
  for (const [column, own] of people) {
    const known = past.flatMap(({ at, person, people: theirs }) =>
      person === column && theirs !== undefined ? [{ at, people: theirs }] : [],
    );
    const persons = personCells(own, known);
    found.push(...smallResidues(persons.now, persons.past, least));
  }
  return found;
}

/** The tags of the current rows over the columns of one study, which all its releases share. */
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
    // A total cannot be compared if one of its contributions cannot.
    rest = rest && tags && without(rest, tags);
    if (rest === undefined || tags === undefined) continue;
    size += tags.length;
    if (parts > 1) differences.push({ at, rows: 2 * rest.length + size - rows.length });
  }
  return differences;
}

/** Added rows make a new total, which is compared with the study's earlier totals of the site. */
function differencesOfTotal(
  now: PresentRelease,
  own: readonly PastRelease[],
): { at: string; rows: number }[] {
  const added = tagsOver(now, own);
  const parts = activeReleases(own);
  const known = parts.flatMap(({ tags }) => (tags === undefined ? [] : [tags]));
  if (added === undefined || known.length < parts.length) return [];
  // It differs from the present total by the added rows, which the other rules check.
  const latest = own.findLastIndex(({ outcome }) => outcome !== 'refused');
  const earlier = own.filter((_, k) => k !== latest);
  return differencesFrom(joinTags([...known, added]), earlier);
}

function repeatedRows(now: PresentRelease, own: readonly PastRelease[]): number {
  const added = tagsOver(now, own);
  if (added === undefined) return 0;
  const rest = activeReleases(own).reduce(
    (left, { tags }) => (tags === undefined ? left : without(left, tags)),
    added,
  );
  return added.length - rest.length;
}

/** The releases of a site that are active in a study, as far as the site knows: those since the last replacement. */
function activeReleases(own: readonly PastRelease[]): readonly PastRelease[] {
  const taken = own.filter(({ outcome }) => outcome !== 'refused');
  const last = taken.findLastIndex(({ mode }) => mode === 'replace');
  return taken.slice(Math.max(0, last));
}

/** The columns of a past statistic. If they were not recorded: one for each column, and one for each level but the baseline. */
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
