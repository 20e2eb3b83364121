/**
 * Seconds that parties take, measured on one core of a small server (AMD EPYC, Node 20): `bench/RESULTS.md` of 15 November 2026 for
 * all but `sum` and `product`, which are of 18 November on a busy machine. Another machine takes another multiple of all of them.
 */
export const speeds = {
  /** A cell of a CSV file, read and checked. */
  cell: 4e-8,
  /** An entry of the products of one row, in exact sums on the 44-bit grid and in float64. */
  exactEntry: 4e-10,
  compactEntry: 1e-10,
  /** A product of a projection, and a sum of one that has only sums. */
  product: 1.8e-10,
  sum: 4e-9,
  /** A number of a contribution: read, checked and added. */
  addedNumber: 1.8e-8,
  /** Solving and the report, for a pair of columns. */
  solvedPair: 1e-6,
} as const;
