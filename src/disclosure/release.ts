import type { Charge } from '../privacy/charge.ts';
import type { ContributionNumbering } from '../statistic/envelope.ts';
import type { Column } from '../study/codebook.ts';
import type { RowTags } from './row-tags.ts';
import type { Charged } from './spent.ts';

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
  /** Tags of its rows over the columns of releases before it, by their digests. */
  readonly over?: Readonly<Record<string, RowTags>>;
  /** Its privacy cost; absent for an exact release. */
  readonly charge?: Omit<Charged, 'study' | 'site'>;
  /** The column of weights, and the labels of the statistic's columns, if they were recorded. */
  readonly weights?: string;
  readonly labels?: readonly string[];
  /** For counts of an evaluation: digest of the report of the model. Absent for a statistic. */
  readonly evaluated?: string;
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

/** How the tags of a release were made: numbers always said what they say now. */
export function tagFormOf({
  columns,
  tagForm,
}: Pick<PastRelease, 'columns' | 'tagForm'>): 'cells' | 'codes' {
  const plain = columns.every(({ column }) => column.type === 'number');
  return tagForm ?? (plain ? 'cells' : 'codes');
}
