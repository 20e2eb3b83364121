import type { Failure } from '../failure.ts';
import { type CountsHead, isCount, sum } from './evaluation-counts.ts';
import { mergedWithin, type PredictionCell, rowsInCells, smallClass } from './merged-cells.ts';

/**
 * How a model of many classes predicts held-out rows, as counts only. With a bin for each class nearly every row would be
 * alone in its cell; so there are two tables of the same rows, by classes and by probabilities, which agree on what is right.
 */
export interface ManyClassCounts extends CountsHead {
  readonly schema: 'suffice/evaluation@2';
  /** One for each level: the rows of that class. */
  readonly classes: readonly PredictedClass[];
  readonly confidence: BinnedPredictions;
}

/** The rows of a class by the class predicted. */
export interface PredictedClass {
  readonly right: number;
  /** `predicted` is −1 where few rows of several classes were put together. */
  readonly wrong: readonly { readonly predicted: number; readonly rows: number }[];
}

/** The rows of all classes by probabilities. */
export interface BinnedPredictions {
  /** Rows predicted rightly, by the bin of the probability. */
  readonly right: readonly number[];
  /** The others, by two bins: of the class predicted, and of their own class. */
  readonly wrong: readonly Pick<PredictionCell, 'bins' | 'rows'>[];
}

/** Above this number of levels, rows are counted in this way. */
export const MOST_HISTOGRAMS = 4;

/** Rows that were predicted to be of another class, whichever. */
export const ELSEWHERE = -1;

/** Counts rows one by one: actual class, predicted class, probability of each level. */
export interface ManyClassCounter {
  count(actual: number, predicted: number, probabilityOf: (level: number) => number): void;
  /** The counts to publish; none of them is from 1 to `smallest` − 1. */
  finish(smallest: number): ReleasedClasses | Failure;
}

type ReleasedClasses = Pick<ManyClassCounts, 'n' | 'classes' | 'confidence' | 'merged'>;

export function manyClassCounter(levels: readonly string[], bins: number): ManyClassCounter {
  const classes = levels.map(() => new Map<string, PredictionCell>());
  return {
    count(actual, predicted, probabilityOf) {
      const bin = (level: number) => Math.min(bins - 1, Math.floor(probabilityOf(level) * bins));
      const place = predicted === actual ? [bin(actual)] : [bin(predicted), bin(actual)];
      const key = [predicted, ...place].join();
      const cell = classes[actual].get(key) ?? { predicted, bins: place, rows: 0 };
      classes[actual].set(key, { ...cell, rows: cell.rows + 1 });
    },
    finish(smallest) {
      const counted = classes.map((one) => [...one.values()]);
      const sizes = counted.map(rowsInCells);
      const small = smallClass(sizes, smallest);
      if (small !== undefined) return small;
      return { n: sum(sizes), ...released(counted, levels.length, bins, smallest) };
    },
  };
}

function released(
  counted: readonly (readonly PredictionCell[])[],
  levels: number,
  bins: number,
  smallest: number,
): Omit<ReleasedClasses, 'n'> {
  const parted = counted.map((cells, actual) => partsOf(cells, actual, smallest));
  const classes = parted.map((one) => one.shown);
  const right = withoutClass(parted.flatMap((one) => one.right));
  const wrong = withoutClass(parted.flatMap((one) => one.wrong));
  const moved = (side: 'toRight' | 'toWrong') => sum(parted.map((one) => one[side]));
  const [least, most] = [Math.floor(bins / levels), Math.floor(bins / 2) + 1];
  const histogram = new Array<number>(bins).fill(0);
  const allowed = { low: [least], high: [bins], bins, moved: moved('toRight') };
  for (const cell of mergedWithin(right, allowed, smallest)) histogram[cell.bins[0]] += cell.rows;
  const binned = mergedWithin(
    wrong,
    { low: [least, 0], high: [bins, most], bins, moved: moved('toWrong') },
    smallest,
  );
  const predictions = counted.flatMap((cells) => [...new Set(cells.map((one) => one.predicted))]);
  const named = classes.flatMap((one) => [...one.wrong, ...(one.right > 0 ? [one] : [])]);
  const filled = histogram.filter((rows) => rows > 0).length + binned.length;
  return {
    classes,
    confidence: { right: histogram, wrong: binned },
    merged: named.length < predictions.length || filled < right.length + wrong.length,
  };
}

/** The same rows by their bins alone. */
function withoutClass(cells: readonly PredictionCell[]): PredictionCell[] {
  const byBins = new Map<string, PredictionCell>();
  for (const { bins, rows } of cells) {
    const known = byBins.get(bins.join());
    byBins.set(bins.join(), { predicted: 0, bins, rows: rows + (known?.rows ?? 0) });
  }
  return [...byBins.values()];
}

interface ClassParts {
  readonly shown: PredictedClass;
  /** Cells that count as right and as wrong, and the numbers of rows that go along with each. */
  readonly right: readonly PredictionCell[];
  readonly wrong: readonly PredictionCell[];
  readonly toRight: number;
  readonly toWrong: number;
}

/**
 * The rows of a class by the class predicted, none or many of each. Wrong predictions of few rows are put together. Where these are still few, they go
 * along with the most frequent wrong prediction, whether there are some or none; where there is none, with the right ones.
 */
function partsOf(cells: readonly PredictionCell[], actual: number, smallest: number): ClassParts {
  const right = cells.filter(({ predicted }) => predicted === actual);
  const wrong = cells.filter(({ predicted }) => predicted !== actual);
  const hits = rowsInCells(right);
  const parts = [...new Set(wrong.map(({ predicted }) => predicted))]
    .sort((a, b) => a - b)
    .map((predicted) => ({
      predicted,
      rows: rowsInCells(wrong.filter((one) => one.predicted === predicted)),
    }));
  const large = parts.filter(({ rows }) => rows >= smallest);
  const few = sum(parts.map(({ rows }) => (rows < smallest ? rows : 0)));
  const shown = few >= smallest ? [...large, { predicted: ELSEWHERE, rows: few }] : large;
  const most = Math.max(...shown.map(({ rows }) => rows));
  const host = few >= smallest ? shown.at(-1) : shown.find(({ rows }) => rows === most);
  const strays = few >= smallest ? 0 : few;
  if (host === undefined) {
    return {
      shown: { right: hits + strays, wrong: [] },
      ...{ right, wrong: [], toRight: strays, toWrong: 0 },
    };
  }
  const isRightShown = hits >= smallest;
  const toWrong = isRightShown ? 0 : hits;
  return {
    shown: {
      right: isRightShown ? hits : 0,
      wrong: shown.map((one) =>
        one === host ? { ...one, rows: one.rows + strays + toWrong } : one,
      ),
    },
    ...{ right: isRightShown ? right : [], wrong, toRight: 0, toWrong },
  };
}

/** Whether the part of a file that only this kind of counts has is consistent. */
export function areClassCounts(file: Partial<ManyClassCounts>): boolean {
  const { levels = [], bins = 0, classes, confidence, n } = file;
  if (!Array.isArray(classes) || classes.length !== levels.length) return false;
  const areRows = (list: unknown, isPlace: (one: Record<string, unknown>) => boolean): boolean =>
    Array.isArray(list) && list.every((one) => isCount(one?.rows) && isPlace(one));
  const isClass = ({ predicted }: Record<string, unknown>) =>
    predicted === ELSEWHERE || (isCount(predicted) && predicted < levels.length);
  const isPair = ({ bins: place }: Record<string, unknown>) =>
    Array.isArray(place) && place.length === 2 && place.every((bin) => isCount(bin) && bin < bins);
  const areSound =
    classes.every((one) => isCount(one?.right) && areRows(one.wrong, isClass)) &&
    Array.isArray(confidence?.right) &&
    confidence.right.length === bins &&
    confidence.right.every(isCount) &&
    areRows(confidence.wrong, isPair);
  if (!areSound) return false;
  const right = sum(classes.map((one) => one.right));
  const wrong = rowsInAll(classes.flatMap((one) => one.wrong));
  return (
    right + wrong === n && sum(confidence.right) === right && rowsInAll(confidence.wrong) === wrong
  );
}

function rowsInAll(cells: readonly { readonly rows: number }[]): number {
  return sum(cells.map(({ rows }) => rows));
}
