/** Means, standard deviations (divisor n − 1) and correlations of the pooled columns, response last. */
export interface Description {
  readonly about: 'description';
  readonly columns: readonly {
    readonly column: string;
    readonly mean: number;
    readonly sd: number;
  }[];
  /** Row-major over the columns; absent entries (a constant column) are null. */
  readonly correlations: readonly (readonly (number | null)[])[];
}
