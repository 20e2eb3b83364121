import type { Failure } from '../failure.ts';

/**
 * How a model predicts held-out rows, as counts only: a site may publish them while its rows stay. Bin b of B holds
 * probabilities from b/B up to (b + 1)/B; the last bin includes 1.
 */
export interface EvaluationCounts {
  readonly schema: 'suffice/evaluation@1';
  /** Digest of the model's report, and of its study. */
  readonly model: string;
  readonly study: string;
  /** The response, and its levels with the baseline first. */
  readonly label: string;
  readonly levels: readonly string[];
  /** What was counted: probabilities, or fitted indicators cut to [0, 1]. */
  readonly scores: 'probability' | 'score';
  readonly bins: number;
  /** Smallest published count; counts from 1 up to this are hidden. */
  readonly smallest: number;
  readonly n: number;
  /** One per level; with two levels only the second, since the first mirrors it. */
  readonly histograms: readonly ClassHistogram[];
  /** Rows by their class, then by the class predicted. */
  readonly confusion: readonly (readonly number[])[];
  /** Whether small counts were merged with their neighbours. */
  readonly merged: boolean;
}

/** Counts of a level's predicted probability per bin: for rows of that level, and for the others. */
export interface ClassHistogram {
  readonly level: string;
  readonly own: readonly number[];
  readonly others: readonly number[];
}

/** Counts rows one by one: actual class, predicted class, probability of each level. */
export interface ClassCounter {
  count(actual: number, predicted: number, probabilityOf: (level: number) => number): void;
  /** The counts to publish; none of them is from 1 to `smallest` − 1. */
  finish(smallest: number): ReleasedCounts | Failure;
}

export type ReleasedCounts = Pick<EvaluationCounts, 'n' | 'histograms' | 'confusion' | 'merged'>;

export function classCounter(levels: readonly string[], bins: number): ClassCounter {
  const shown = levels.length === 2 ? [1] : [...levels.keys()];
  // The middle bin of an odd number has both predictions. Its halves are cells of their own, so that the table of predictions
  // and the histogram together tell of no smaller set of rows than either.
  const middle = levels.length === 2 && bins % 2 === 1 ? (bins - 1) / 2 : undefined;
  const empty = () => new Array<number>(bins + (middle === undefined ? 0 : 1)).fill(0);
  const cellOf = (bin: number, predicted: number) =>
    middle === undefined || bin < middle ? bin : bin + (bin > middle ? 1 : predicted);
  const binsOf = (cells: readonly number[]) =>
    middle === undefined
      ? cells
      : cells.flatMap((count, k) => {
          if (k === middle) return [count + cells[k + 1]];
          return k === middle + 1 ? [] : [count];
        });
  const histograms = shown.map((level) => ({
    level,
    own: empty(),
    others: empty(),
  }));
  const confusion = levels.map(() => levels.map(() => 0));
  return {
    count(actual, predicted, probabilityOf) {
      confusion[actual][predicted]++;
      for (const { level, own, others } of histograms) {
        const bin = Math.min(bins - 1, Math.floor(probabilityOf(level) * bins));
        (actual === level ? own : others)[cellOf(bin, predicted)]++;
      }
    },
    finish(smallest) {
      const sizes = confusion.map(sum);
      if (sizes.some((size) => size > 0 && size < smallest)) {
        return {
          problem: `a class has fewer than ${smallest} rows here, and the study allows no such count`,
          remedy: 'evaluate on more rows',
        };
      }
      const released = histograms.map(({ level, own, others }) => ({
        level: levels[level],
        own: mergeSmall(own, smallest),
        others: mergeSmall(others, smallest),
      }));
      const table =
        levels.length === 2
          ? halves(released[0]) // derived from the histogram, so that the two do not reveal more together
          : confusion.map((row) => foldSmall(row, smallest));
      const moved =
        released.some(
          ({ own, others }, k) =>
            !same(own, histograms[k].own) || !same(others, histograms[k].others),
        ) || table.some((row, k) => !same(row, confusion[k]));
      const shownBins = released.map(({ level, own, others }) => ({
        level,
        own: binsOf(own),
        others: binsOf(others),
      }));
      return { n: sum(sizes), histograms: shownBins, confusion: table, merged: moved };
    },
  };
}

/** Moves every count from 1 to `smallest` − 1 into the nearest bin with rows, the smallest first. */
export function mergeSmall(counts: readonly number[], smallest: number): number[] {
  const merged = [...counts];
  for (;;) {
    const small = merged.filter((count) => count > 0 && count < smallest);
    if (small.length === 0) return merged;
    const from = merged.indexOf(Math.min(...small));
    const to = nearest(merged, from);
    if (to === undefined) return merged;
    merged[to] += merged[from];
    merged[from] = 0;
  }
}

function nearest(counts: readonly number[], from: number): number | undefined {
  for (let step = 1; step < counts.length; step++) {
    if ((counts[from - step] ?? 0) > 0) return from - step;
    if ((counts[from + step] ?? 0) > 0) return from + step;
  }
  return undefined;
}

/** Adds the small counts of a row to its largest. */
function foldSmall(row: readonly number[], smallest: number): number[] {
  const largest = row.indexOf(Math.max(...row));
  const isSmall = (count: number, k: number) => count < smallest && k !== largest;
  const small = row.filter(isSmall);
  return row.map((count, k) => {
    if (k === largest) return count + sum(small);
    return isSmall(count, k) ? 0 : count;
  });
}

/** The confusion of two classes by the half of the bins a row is in. */
function halves({ own, others }: ClassHistogram): number[][] {
  return [others, own].map((counts) => {
    const half = counts.length / 2;
    return [sum(counts.slice(0, half)), sum(counts.slice(half))];
  });
}

export function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

function same(a: readonly number[], b: readonly number[]): boolean {
  return a.every((count, k) => count === b[k]);
}

/** Whether a value read from JSON has valid, consistent counts. */
export function isEvaluationCounts(value: unknown): value is EvaluationCounts {
  const file = value as Partial<EvaluationCounts> | null;
  if (typeof file !== 'object' || file?.schema !== 'suffice/evaluation@1') return false;
  const { levels, bins, histograms, confusion, n } = file;
  if (!Array.isArray(levels) || !Array.isArray(histograms) || !Array.isArray(confusion))
    return false;
  const counts = (list: unknown, length: number | undefined): list is number[] =>
    Array.isArray(list) &&
    list.length === length &&
    list.every((count) => Number.isSafeInteger(count) && count >= 0);
  const shown = levels.length === 2 ? levels.slice(1) : levels;
  return (
    typeof file.model === 'string' &&
    typeof file.study === 'string' &&
    typeof file.label === 'string' &&
    levels.length >= 2 &&
    confusion.length === levels.length &&
    confusion.every((row) => counts(row, levels.length)) &&
    histograms.length === shown.length &&
    histograms.every(
      (one, k) =>
        one?.level === shown[k] &&
        counts(one.own, bins) &&
        counts(one.others, bins) &&
        sum(one.own) + sum(one.others) === n,
    ) &&
    sum(confusion.map(sum)) === n
  );
}
