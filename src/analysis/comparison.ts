/** A model against the same without some of its terms. */
export interface Comparison {
  readonly about: 'comparison';
  readonly without: readonly string[];
  readonly df: number;
  readonly 'df.residual': number;
  readonly statistic: number;
  readonly 'p.value': number;
  readonly full: NestedModel;
  readonly reduced: NestedModel;
}

export interface NestedModel {
  readonly terms: readonly string[];
  readonly 'df.residual': number;
  readonly deviance: number;
  readonly 'r.squared': number;
  readonly 'adj.r.squared': number;
  readonly AIC: number;
  readonly BIC: number;
}
