/** How the fitted values of a category become probabilities: that of a level is its share of exp(constant + Σ weight · fitted). */
export interface ReportedClasses {
  /** The response the levels belong to. */
  readonly label: string;
  /** Levels with rows; the others have probability 0. */
  readonly levels: readonly ReportedLevel[];
}

export interface ReportedLevel {
  readonly level: string;
  /** Rows, or the sum of their weights; absent where no site gave them. */
  readonly n?: number;
  readonly constant: number;
  /** One for each response of the category. */
  readonly weights: readonly number[];
}

/** How the scores of a classifier were made. */
export type ReportedClassifier = ReportedDiscriminant | ReportedSoftmax;

/** Scores that the last layer of a network gives. */
export interface ReportedSoftmax {
  readonly kind: 'softmax';
}

/** Scores that follow from the means and one covariance of the classes. */
export interface ReportedDiscriminant {
  readonly kind: 'discriminant' | 'naive-bayes';
  /** From 0, the covariance within classes as it is, to 1, no correlations. */
  readonly shrinkage: number;
  /** `given`, or the rule that chose it. */
  readonly rule: string;
  /** Shrinkages between which the score of the rule stays within one standard error (or 1 %) of its minimum. */
  readonly flat?: readonly [number, number];
}
