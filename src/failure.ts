/** Why something cannot be done, and what to do about it: the one shape of a "no" in the library. */
export interface Failure {
  readonly problem: string;
  readonly remedy: string;
  /** Where in the input. */
  readonly place?: Place;
}

/** Where in the input: `row` counts data rows from 1, the header is not one of them. */
export interface Place {
  readonly file?: string;
  readonly row?: number;
  readonly column?: string;
}
