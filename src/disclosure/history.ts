import { isChargedByTotal } from '../privacy/placement.ts';
import {
  mixedTotals,
  type RowDifference,
  releaseDifferences,
  repeatedRows,
} from './differences.ts';
import { type Overlap, overlapOf } from './overlap.ts';
import type { PastRelease, PresentRelease } from './release.ts';
import { residuesOf } from './release-residues.ts';
import type { Residue } from './residues.ts';
import { type Charged, spentOn } from './spent.ts';

/** What rules R9–R11 need to know about a site's earlier releases. */
export interface History {
  /** Rows by which this release differs from an earlier one, or from all that a study had from the site at that time. */
  readonly differences: readonly RowDifference[];
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
    isChargedByTotal(charge?.placement) && here(one) && one.site === now.site;
  const repeated = repeatedRows(now, past);
  const residues = residuesOf(now, past);
  const spent = (overlap: Overlap) =>
    past.filter(({ charge }, k) => charge !== undefined && overlaps[k] === overlap).length;
  return {
    differences: releaseDifferences(now, past),
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
    contributions: past.filter(
      ({ study, evaluated }, k) =>
        study === now.study && evaluated === undefined && overlaps[k] !== 'apart',
    ).length,
    exactBefore: past.some(
      ({ charge }, k) =>
        charge === undefined && (overlaps[k] === 'partly' || overlaps[k] === 'mostly'),
    ),
    incomparable:
      mixedTotals(past) +
      past.filter(
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

/** The columns of a past statistic. If they were not recorded: one for each column, and one for each level but the baseline. */
function labelsOf({ labels, columns }: PastRelease): readonly string[] {
  if (labels !== undefined) return labels;
  return columns.flatMap(({ name, column }) =>
    column.type === 'category' ? column.levels.slice(1).map((level) => name + level) : [name],
  );
}
