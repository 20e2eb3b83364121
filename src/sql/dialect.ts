import type { DialectName } from './dialect-name.ts';

/** What a database says about the type of a column, where it was asked. */
export type SqlType = 'double' | 'real' | 'integer' | 'decimal' | 'text' | 'boolean';

/** One SQL engine as a writer: how it spells what the queries need. All arithmetic is + − × of float64 and of int64. */
export interface SqlDialect {
  readonly name: DialectName;
  /** Its name for people. */
  readonly title: string;
  quote(name: string): string;
  /** A text as a literal. */
  text(value: string): string;
  /** A finite float64 as a literal of exactly this value. */
  double(value: number): string;
  /**
   * A column as float64: the number that the column's text would be read as. A text that is no number must raise an error, or
   * become a number outside every range.
   */
  number(column: string, type?: SqlType): string;
  /** Whether `number` is exact for a type, named as the engine names it; for every type of numbers where absent. */
  isExact?(type: string): boolean;
  /** A column as text without blanks around it, compared byte by byte. */
  label(column: string, type?: SqlType): string;
  /** A text to compare a `label` with. */
  labelText(value: string): string;
  /** Whether a float64 is NaN; absent where the engine has none. */
  isNaN?(value: string): string;
  /** The float64 nearest to the root of a float64, as IEEE 754 has it; absent where nobody says that the engine's is. */
  squareRoot?(value: string): string;
  /** The float64 at a place from 1 on, an integer in SQL; absent where comparisons do as well. */
  element?(place: string, values: readonly number[]): string;
  /** A float64 or an integer as int64; a float64 here is always whole. */
  whole(value: string): string;
  /** The remainder of an int64, with the sign of the dividend. */
  modulo(value: string, by: number): string;
  /** The sum of int64 values in a type that cannot overflow, whatever the number of rows. */
  sum(value: string): string;
  /** The type of `sum`, for the comment of a query. */
  readonly sumType: string;
  /** Ends an inner query that must not be merged into the outer one, so that nothing is computed twice. */
  readonly fence: string;
  /** A value with a name, for the list after WITH of one select; absent where an engine has no such list. */
  named?(value: string, name: string): string;
  /** How the dialect writes a select that other servers compute, where that differs. */
  readonly elsewhere?: Partial<Pick<SqlDialect, 'label'>>;
  /** Most columns of one query, and most characters. */
  readonly most: { readonly columns: number; readonly characters: number };
  /** What an administrator has to know, for the comment of a query. */
  readonly notes: readonly string[];
  /** What an administrator has to know about a query of more characters than `most` says. */
  ifLonger?(characters: number): readonly string[];
}
