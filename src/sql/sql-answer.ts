/** A query that a site's database answers with one row of sums. */
export interface SqlQuery {
  /** What it is for, for people and file names: `sums 1 of 2`. */
  readonly name: string;
  readonly sql: string;
  /** Names of the columns of its answer, in order. */
  readonly columns: readonly string[];
}

/** The answer of an engine, every cell as text; null where the engine says NULL. */
export interface SqlAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** Asks an engine. */
export type RunQuery = (sql: string) => Promise<SqlAnswer>;
