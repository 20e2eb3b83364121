import * as z from 'zod';

const missing = z.array(z.string()).optional();

const numberColumn = z.strictObject({
  type: z.literal('number'),
  unit: z.string().optional(),
  /** Smallest and largest value a site may hold; gives the reference. */
  range: z.tuple([z.number(), z.number()]).optional(),
  /** The reference given outright instead of by a range. */
  center: z.number().optional(),
  scale: z.number().positive().optional(),
  /** Levels of factor(x) over a number column, in R's spelling of the numbers. */
  levels: z.array(z.string()).optional(),
  missing,
  /** What separates the fraction in a text file; "." unless said otherwise. */
  decimal: z.enum(['.', ',']).optional(),
});

const categoryColumn = z.strictObject({
  type: z.literal('category'),
  /** The first level is the baseline unless `baseline` names another. */
  levels: z.array(z.string()).min(1),
  baseline: z.string().optional(),
  missing,
});

export const codebookSchema: z.ZodType<Codebook> = z.record(
  z.string(),
  z.discriminatedUnion('type', [numberColumn, categoryColumn]),
) as unknown as z.ZodType<Codebook>;

export interface NumberColumn {
  readonly type: 'number';
  readonly unit?: string;
  readonly range?: readonly [number, number];
  readonly center?: number;
  readonly scale?: number;
  readonly levels?: readonly string[];
  readonly missing?: readonly string[];
  readonly decimal?: '.' | ',';
}

export interface CategoryColumn {
  readonly type: 'category';
  readonly levels: readonly string[];
  readonly baseline?: string;
  readonly missing?: readonly string[];
}

export type Column = NumberColumn | CategoryColumn;

/** The columns of a study by name: all a site needs to read its file, and all it may assume. */
export type Codebook = Readonly<Record<string, Column>>;

/** Markers that count as missing where a column does not list its own. */
export const defaultMissing: readonly string[] = ['', 'NA'];
