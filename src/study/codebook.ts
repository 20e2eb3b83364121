export interface NumberColumn {
  readonly type: 'number';
  readonly unit?: string;
  /** Smallest and largest value a site may hold; gives the reference. */
  readonly range?: readonly [number, number];
  /** The reference given outright instead of by a range. */
  readonly center?: number;
  readonly scale?: number;
  /** A public guess of its standard deviation, for private studies; a sixth of the range unless given. */
  readonly sd?: number;
  /** Levels of factor(x) over a number column, in R's spelling of the numbers. */
  readonly levels?: readonly string[];
  readonly missing?: readonly string[];
  /** What separates the fraction in a text file; "." unless said otherwise. */
  readonly decimal?: '.' | ',';
}

export interface CategoryColumn {
  readonly type: 'category';
  /** The first level is the baseline unless `baseline` names another. */
  readonly levels: readonly string[];
  readonly baseline?: string;
  readonly missing?: readonly string[];
}

/** Says whose row it is; no formula can use it, and nothing of it leaves. */
export interface IdColumn {
  readonly type: 'id';
  readonly levels?: never;
  readonly missing?: readonly string[];
}

export type Column = NumberColumn | CategoryColumn | IdColumn;

/** The columns of a study by name: all a site needs to read its file, and all it may assume. */
export type Codebook = Readonly<Record<string, Column>>;

/** The name under which a formula speaks of the site a row belongs to; no file has it as a column. */
export const SITE_COLUMN = '.site';

/** Markers that count as missing where a column does not list its own. */
export const defaultMissing: readonly string[] = ['', 'NA'];
