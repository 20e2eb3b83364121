/** What a site sends for every fusion of networks: its weights, and the number of rows that it trained them on. */
export interface SiteWeights {
  readonly rows: number;
  readonly weights: Float64Array;
}

/**
 * Damping of the Fisher servers, as a part of a layer's mean information. For K-FAC 3, 1, 0.3, 0.1 and 0.03 gave a mean accuracy of
 * 68.0, 68.6, 68.8, 68.9 and 68.5 % on Fashion-MNIST; the larger of two like values needs fewer iterations.
 */
export const USUAL_DAMPING = 0.3;

/**
 * The sites that have rows, in an order that does not depend on who came first: most rows first, then by their weights. A
 * fusion that takes them in this order gives the same bits for every order of its sites.
 */
export function orderedSites<Site extends SiteWeights>(sites: readonly Site[]): readonly Site[] {
  const kept = sites.filter(({ rows }) => rows > 0);
  if (kept.length === 0) throw new RangeError('a fusion needs at least one site with rows');
  return kept.sort((a, b) => b.rows - a.rows || compared(a.weights, b.weights));
}

/** Number of the rows of all sites. */
export function allRows(sites: readonly SiteWeights[]): number {
  return sites.reduce((sum, { rows }) => sum + rows, 0);
}

/** target ← target + factor · values. */
export function addTimes(target: Float64Array, factor: number, values: Float64Array): void {
  for (let k = 0; k < target.length; k++) target[k] += factor * values[k];
}

function compared(a: Float64Array, b: Float64Array): number {
  for (let k = 0; k < a.length; k++) {
    if (a[k] !== b[k]) return a[k] - b[k];
  }
  return 0;
}
