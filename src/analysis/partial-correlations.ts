/** Correlation of the response with each column, the others held fixed. */
export interface PartialCorrelations {
  readonly about: 'partial-correlations';
  readonly terms: readonly {
    readonly term: string;
    readonly partial: number;
    /** Semipartial: of the raw response with what is left of the column. */
    readonly part: number;
    readonly 'p.value': number;
  }[];
}
