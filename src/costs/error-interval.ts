import { normalQuantile } from '../numeric/distributions.ts';

/** The chance that an interval holds the error that the population has. */
export const INTERVAL_LEVEL = 0.95;

/**
 * The errors that a sample of `rows` rows does not speak against, where `left` columns are left out. n·error is the noncentrality λ of a χ²
 * with `left` degrees of freedom, of which the sample shows n·error + left; the ends are the λ for which that is the 97.5 % and the 2.5 % quantile.
 */
export function errorInterval(
  error: number,
  left: number,
  rows: number,
): readonly [low: number, high: number] {
  const df = Math.max(1, left);
  const found = rows * error + df;
  const end = normalQuantile((1 + INTERVAL_LEVEL) / 2);
  return [lambdaAt(found, df, end) / rows, lambdaAt(found, df, -end) / rows];
}

/** The λ at which x has this normal score; 0 if it has a smaller one for every λ. The score falls as λ grows. */
function lambdaAt(x: number, df: number, score: number): number {
  if (normalScore(x, df, 0) <= score) return 0;
  let [low, high] = [0, x];
  while (normalScore(x, df, high) > score) high *= 2;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    if (normalScore(x, df, middle) > score) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Φ⁻¹ of the distribution function of a noncentral χ² at x, nearly (Sankaran 1959, Biometrika 46, the third approximation). */
function normalScore(x: number, df: number, lambda: number): number {
  const mean = df + lambda;
  const h = 1 - (2 * mean * (df + 3 * lambda)) / (3 * (df + 2 * lambda) ** 2);
  const p = (df + 2 * lambda) / mean ** 2;
  const m = (h - 1) * (1 - 3 * h);
  const centre = 1 + h * p * (h - 1 - 0.5 * (2 - h) * m * p);
  return ((x / mean) ** h - centre) / (h * Math.sqrt(2 * p) * (1 + 0.5 * m * p));
}
