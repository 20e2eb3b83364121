/** How much better than chance one can tell the rows that a network was trained on from others, by their loss. */
export interface LossAdvantage {
  /** Largest difference between the shares of both kinds of rows below a loss: 0 is chance, 1 is certainty. */
  readonly advantage: number;
  /** What as few rows show by chance, in 95 of 100 cases, where the network remembers nothing. */
  readonly chance: number;
}

/** Quantile of the Kolmogorov distribution at 95 %. */
const QUANTILE = 1.358;

/** The advantage of the best threshold on the loss. */
export function membershipOf(trained: Float64Array, others: Float64Array): LossAdvantage {
  const [a, b] = [trained.slice().sort(), others.slice().sort()];
  const [n, m] = [a.length, b.length];
  let [i, j, advantage] = [0, 0, 0];
  while (i < n && j < m) {
    const loss = Math.min(a[i], b[j]);
    while (i < n && a[i] === loss) i++;
    while (j < m && b[j] === loss) j++;
    advantage = Math.max(advantage, i / n - j / m);
  }
  return { advantage, chance: QUANTILE * Math.sqrt((n + m) / (n * m)) };
}
