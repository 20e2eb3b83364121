/** A histogram with count, range and mean. */
export interface ValueSummary {
  readonly count: number;
  readonly least: number;
  readonly most: number;
  readonly mean: number;
  /** Edges of the bins, one more than counts. */
  readonly edges: readonly number[];
  readonly counts: readonly number[];
}

const MOST_BINS = 40;

/** A histogram of values that arrive in blocks. Bins double their width when there are too many, so no value is kept. */
export function growingHistogram(): {
  add(values: Float64Array): void;
  finish(): ValueSummary | undefined;
} {
  let bins = new Map<number, number>();
  let width = 0;
  let count = 0;
  let sum = 0;
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;

  const widen = () => {
    const wanted = (most - least) / MOST_BINS || Math.abs(most) * 2 ** -20 || 1;
    if (width === 0) {
      width = 2 ** Math.ceil(Math.log2(wanted));
      return;
    }
    while (width < wanted) {
      width *= 2;
      const merged = new Map<number, number>();
      for (const [index, held] of bins) {
        const into = Math.floor(index / 2);
        merged.set(into, (merged.get(into) ?? 0) + held);
      }
      bins = merged;
    }
  };

  return {
    add(values) {
      for (const value of values) {
        if (!Number.isFinite(value)) continue;
        count++;
        sum += value;
        if (value < least) least = value;
        if (value > most) most = value;
      }
      if (count === 0) return;
      widen();
      for (const value of values) {
        if (!Number.isFinite(value)) continue;
        const index = Math.floor(value / width);
        bins.set(index, (bins.get(index) ?? 0) + 1);
      }
    },
    finish() {
      if (count === 0) return undefined;
      const first = Math.floor(least / width);
      const last = Math.floor(most / width);
      const indices = Array.from({ length: last - first + 1 }, (_, k) => first + k);
      return {
        count,
        least,
        most,
        mean: sum / count,
        edges: [...indices, last + 1].map((index) => index * width),
        counts: indices.map((index) => bins.get(index) ?? 0),
      };
    },
  };
}
