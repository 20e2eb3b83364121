/** Covariance of the coefficients, in the order of the report's terms: what else can be computed from. */
export interface CoefficientCovariance {
  readonly about: 'covariance';
  /** Which errors it belongs to, as the report says. */
  readonly errors: string;
  readonly terms: readonly string[];
  readonly matrix: readonly (readonly number[])[];
}
