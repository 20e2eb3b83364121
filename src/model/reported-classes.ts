/** How the fitted values of a category become probabilities: that of a level is its share of exp(constant + Σ weight · fitted). */
export interface ReportedClasses {
  /** The response the levels belong to. */
  readonly label: string;
  /** Levels with rows; the others have probability 0. */
  readonly levels: readonly ReportedLevel[];
}

export interface ReportedLevel {
  readonly level: string;
  /** Rows, or the sum of their weights. */
  readonly n: number;
  readonly constant: number;
  /** One for each response of the category. */
  readonly weights: readonly number[];
}
