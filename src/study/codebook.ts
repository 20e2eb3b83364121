/** A column of numbers. It needs a range, or a center and a scale. */
export interface NumberColumn {
  readonly type: 'number';
  /** Cells may be written with it: "%", a currency such as "€", or "days since 1970-01-01" for dates. */
  readonly unit?: string;
  /** Smallest and largest value a site may hold; gives the reference. */
  readonly range?: readonly [number, number];
  /** The reference, stated directly instead of by a range. */
  readonly center?: number;
  readonly scale?: number;
  /** A public guess of the standard deviation, for private studies; a sixth of the range unless given. */
  readonly sd?: number;
  /** Levels of factor(x) over a number column, in R's spelling of the numbers. */
  readonly levels?: readonly string[];
  readonly missing?: readonly string[];
  /** The decimal mark of text files whose own cells do not show it. */
  readonly decimal?: '.' | ',';
}

/** A column of texts, each one of its levels. */
export interface CategoryColumn {
  readonly type: 'category';
  /** The first level is the baseline unless `baseline` names another. */
  readonly levels: readonly string[];
  readonly baseline?: string;
  readonly missing?: readonly string[];
}

/** The id of the person a row belongs to; no formula can use it, and it never leaves the site. */
export interface IdColumn {
  readonly type: 'id';
  readonly levels?: never;
  readonly missing?: readonly string[];
}

/** What a study says about a column. */
export type Column = NumberColumn | CategoryColumn | IdColumn;

/** The columns of a study by name: all that a site needs to read its file. */
export type Codebook = Readonly<Record<string, Column>>;

/** The name that stands for a row's site in a formula; no file has it as a column. */
export const SITE_COLUMN = '.site';

/** Missing markers of a column that does not list its own. */
export const defaultMissing: readonly string[] = ['', 'NA'];
