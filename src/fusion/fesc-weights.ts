/**
 * Weights of sites that sent (n, θ), by FESC (IPOL 2023.440, equations 9 and 10): those that minimise the paper's bound
 * Σ (w²/n + w/n²) on its error among weights that are not negative and sum to 1. The smallest sites may get weight 0.
 */
export function fescWeights(sizes: readonly number[]): Float64Array {
  const order = [...sizes.keys()].sort((a, b) => sizes[b]! - sizes[a]!);
  let rows = 0;
  let inverses = 0;
  let kept = { count: 0, level: 0 };
  order.forEach((site, k) => {
    const n = sizes[site]!;
    rows += n;
    inverses += 1 / n;
    const level = (2 + inverses) / rows;
    if (1 / (n * n) <= level) kept = { count: k + 1, level };
  });
  const weights = new Float64Array(sizes.length);
  for (const site of order.slice(0, kept.count)) {
    const n = sizes[site]!;
    // Rounding must not take the last one below 0.
    weights[site] = Math.max(0, (n * kept.level - 1 / n) / 2);
  }
  return weights;
}

/** Weights of the plain average: proportional to rows. */
export function averageWeights(sizes: readonly number[]): Float64Array {
  const rows = sizes.reduce((sum, n) => sum + n, 0);
  return Float64Array.from(sizes, (n) => n / rows);
}
