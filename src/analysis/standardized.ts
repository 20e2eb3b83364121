/** Slopes per standard deviation of their column, in standard deviations of the response. */
export interface Standardized {
  readonly about: 'standardized';
  readonly terms: readonly {
    readonly term: string;
    /** b · sd(x) / sd(y). */
    readonly estimate: number;
    readonly 'std.error'?: number;
    /** b · sd(x): the response's units for one SD of the column. */
    readonly perSd: number;
  }[];
}
