/** The privacy budgets of the paper's Table V. */
export const epsilons: readonly number[] = [0.1, 0.5, 1, 2, 5, 10];

export const delta = 1e-5;

/** Test MSE as Table V of arXiv 2601.08216 prints it. */
export const tableV = {
  oneShot: [0.07, 0.015, 0.012, 0.0102, 0.0101, 0.01],
  fedAvg: [0.031, 0.012, 0.011, 0.0105, 0.0104, 0.0103],
  /** Without noise: one-shot, and DP-FedAvg. */
  nonPrivate: [0.01, 0.0103],
} as const;
