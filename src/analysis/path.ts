/** Coefficients along the penalty, from strong to weak, with what each costs. */
export interface Path {
  readonly about: 'path';
  readonly kind: 'ridge' | 'lasso';
  /** Names of the slopes; the intercept is apart. */
  readonly terms: readonly string[];
  readonly points: readonly {
    /** The ridge, or glmnet's lambda. */
    readonly penalty: number;
    readonly intercept?: number;
    readonly coefficients: readonly number[];
    /** Effective degrees of freedom, the intercept among them; for the lasso, nonzero slopes + 1. */
    readonly edf: number;
    readonly 'r.squared': number;
    readonly gcv?: number;
  }[];
  /** SDs of the columns (population), so that a picture can show slopes per SD. */
  readonly scales: readonly number[];
}
