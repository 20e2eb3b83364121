/** Principal components of the standardised predictors, as R's prcomp(scale. = TRUE). */
export interface Components {
  readonly about: 'components';
  readonly columns: readonly string[];
  readonly components: readonly {
    readonly sd: number;
    readonly proportion: number;
    readonly cumulative: number;
    /** Over the columns; the largest is positive. */
    readonly loadings: readonly number[];
  }[];
}
