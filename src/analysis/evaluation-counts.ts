import type { Failure } from '../failure.ts';
import { mergedCells, type PredictionCell, rowsInCells, smallClass } from './merged-cells.ts';

/**
 * How a model predicts held-out rows, as counts only: a site may publish them while its rows stay. Bin b of B holds
 * probabilities from b/B up to (b + 1)/B; the last bin includes 1.
 */
export interface EvaluationCounts extends CountsHead {
  readonly schema: 'suffice/evaluation@1';
  /** One per level; with two levels only the second, since the first mirrors it. */
  readonly histograms: readonly ClassHistogram[];
  /** Rows by their class, then by the class predicted. */
  readonly confusion: readonly (readonly number[])[];
}

/** What all counts of an evaluation say. */
export interface CountsHead {
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

/**
 * All that is published follows from one table of merged cells, each of one class and of no or many rows. So a difference of two
 * published counts, of whatever histogram or table, tells of no smaller set of rows.
 */
export function classCounter(levels: readonly string[], bins: number): ClassCounter {
  // Of two levels, the first mirrors the second.
  const shown = levels.length === 2 ? [1] : [...levels.keys()];
  const classes = levels.map(() => new Map<string, PredictionCell>());
  let cells = 0;
  return {
    count(actual, predicted, probabilityOf) {
      if (cells > MOST_CELLS) return;
      const place = shown.map((level) =>
        Math.min(bins - 1, Math.floor(probabilityOf(level) * bins)),
      );
      const key = [predicted, ...place].join();
      const cell = classes[actual].get(key) ?? { predicted, bins: place, rows: 0 };
      if (cell.rows === 0) cells++;
      classes[actual].set(key, { ...cell, rows: cell.rows + 1 });
    },
    finish(smallest) {
      if (cells > MOST_CELLS) {
        return {
          problem: `the predictions fall into more than ${MOST_CELLS} cells of bins`,
          remedy: 'ask for fewer bins, or evaluate on fewer rows',
          option: { name: 'bins' },
        };
      }
      const counted = classes.map((one) => [...one.values()]);
      const sizes = counted.map(rowsInCells);
      const small = smallClass(sizes, smallest);
      if (small !== undefined) return small;
      const released = counted.map((one) => mergedCells(one, smallest, bins));
      const merged = released.some((one, actual) => one.length < counted[actual].length);
      const histogram = (axis: number, of: readonly (readonly PredictionCell[])[]) => {
        const counts = new Array<number>(bins).fill(0);
        for (const { bins: place, rows } of of.flat()) counts[place[axis]] += rows;
        return counts;
      };
      return {
        n: sum(sizes),
        histograms: shown.map((level, axis) => ({
          level: levels[level],
          own: histogram(axis, [released[level]]),
          others: histogram(axis, released.toSpliced(level, 1)),
        })),
        confusion: released.map((one) =>
          levels.map((_, k) => rowsInCells(one.filter(({ predicted }) => predicted === k))),
        ),
        merged,
      };
    },
  };
}

/** Cells that are held in memory. */
const MOST_CELLS = 2 ** 20;

export function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Whether a value read from JSON has valid, consistent counts. */
export function isEvaluationCounts(value: unknown): value is EvaluationCounts {
  const file = value as Partial<EvaluationCounts> | null;
  if (typeof file !== 'object' || file?.schema !== 'suffice/evaluation@1') return false;
  const { levels, bins, histograms, confusion, n } = file;
  if (!Array.isArray(levels) || !Array.isArray(histograms) || !Array.isArray(confusion))
    return false;
  const counts = (list: unknown, length: number | undefined): list is number[] =>
    Array.isArray(list) && list.length === length && list.every(isCount);
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
