/** Above this many sites the median of all is that of the others. */
export const MANY_SITES = 30;

/** The median. */
export function center(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** The median distance from the median, times 1.4826: the SD of a normal; 0 of one value. */
export function spread(values: readonly number[]): number {
  const middle = center(values);
  return 1.4826 * center(values.map((value) => Math.abs(value - middle)));
}
