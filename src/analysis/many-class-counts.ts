import type { Failure } from '../failure.ts';
import { type CountsHead, isCount, sum } from './evaluation-counts.ts';
import { mergedWithin, type PredictionCell, rowsInCells } from './merged-cells.ts';

/**
 * How a model of many classes predicts held-out rows, as counts only. With a bin for each class nearly every row would be
 * alone in its cell; here a row has the bin of the class predicted (its confidence) and that of its own class.
 */
export interface ManyClassCounts extends CountsHead {
  readonly schema: 'suffice/evaluation@2';
  /** One for each level: the rows of that class. */
  readonly classes: readonly PredictedClass[];
}

/** The rows of a class by their predictions. */
export interface PredictedClass {
  /** Rows predicted rightly, by the bin of their probability. */
  readonly right: readonly number[];
  /** The others. `predicted` is −1 where few rows of several classes were put together; `bins` are those of confidence and own class. */
  readonly wrong: readonly PredictionCell[];
}

/** Above this number of levels, rows are counted in this way. */
export const MOST_HISTOGRAMS = 4;

/** Rows that were predicted to be of another class, whichever. */
export const ELSEWHERE = -1;

/** Counts rows one by one: actual class, predicted class, probability of each level. */
export interface ManyClassCounter {
  count(actual: number, predicted: number, probabilityOf: (level: number) => number): void;
  /** The counts to publish; none of them is from 1 to `smallest` − 1. */
  finish(smallest: number): Pick<ManyClassCounts, 'n' | 'classes' | 'merged'> | Failure;
}

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
      if (sizes.some((size) => size > 0 && size < smallest)) {
        return {
          problem: `a class has fewer than ${smallest} rows here, and the study allows no such count`,
          remedy: 'evaluate on more rows',
        };
      }
      const released = counted.map((cells, actual) =>
        releasedClass(cells, actual, { levels: levels.length, bins, smallest }),
      );
      const shown = ({ right, wrong }: PredictedClass) =>
        right.filter((rows) => rows > 0).length + wrong.length;
      return {
        n: sum(sizes),
        classes: released,
        merged: released.some((one, actual) => shown(one) < counted[actual].length),
      };
    },
  };
}

interface Limits {
  readonly levels: number;
  readonly bins: number;
  readonly smallest: number;
}

/**
 * The cells of a class, each of no or many rows. Wrong predictions of few rows are put together. Where these are still few, they go along with the
 * most frequent wrong prediction, whether there are some or none; where there is none, with the right ones.
 */
function releasedClass(
  cells: readonly PredictionCell[],
  actual: number,
  { levels, bins, smallest }: Limits,
): PredictedClass {
  const right = cells.filter(({ predicted }) => predicted === actual);
  const wrong = cells.filter(({ predicted }) => predicted !== actual);
  const parts = [...new Set(wrong.map(({ predicted }) => predicted))]
    .sort((a, b) => a - b)
    .map((predicted) => ({ predicted, cells: wrong.filter((one) => one.predicted === predicted) }));
  const isLarge = (part: { readonly cells: readonly PredictionCell[] }) =>
    rowsInCells(part.cells) >= smallest;
  const few = {
    predicted: ELSEWHERE,
    cells: parts.filter((part) => !isLarge(part)).flatMap((part) => part.cells),
  };
  const shown = [...parts.filter(isLarge), ...(isLarge(few) ? [few] : [])];
  const host = isLarge(few)
    ? few
    : shown.toSorted((a, b) => rowsInCells(b.cells) - rowsInCells(a.cells)).at(0);
  const strays = isLarge(few) ? 0 : rowsInCells(few.cells);
  const isRightShown = host === undefined || isLarge({ cells: right });
  const [least, most] = [Math.floor(bins / levels), Math.floor(bins / 2) + 1];
  const histogram = new Array<number>(bins).fill(0);
  if (isRightShown) {
    const moved = host === undefined ? strays : 0;
    const allowed = { low: [least], high: [bins], bins, moved };
    for (const cell of mergedWithin(right, allowed, smallest)) {
      histogram[cell.bins[0]] += cell.rows;
    }
  }
  return {
    right: histogram,
    wrong: shown.flatMap((part) => {
      const moved = part === host ? strays + (isRightShown ? 0 : rowsInCells(right)) : 0;
      const allowed = { low: [least, 0], high: [bins, most], bins, moved };
      return mergedWithin(part.cells, allowed, smallest).map((cell) => ({
        predicted: part.predicted,
        ...cell,
      }));
    }),
  };
}

/** Whether the part of a file that only this kind of counts has is consistent. */
export function areClassCells(file: Partial<ManyClassCounts>): boolean {
  const { levels = [], bins = 0, classes, n } = file;
  if (!Array.isArray(classes) || classes.length !== levels.length) return false;
  const isBin = (bin: unknown) => isCount(bin) && bin < bins;
  const isSound = classes.every(
    (one: Partial<PredictedClass> | null) =>
      Array.isArray(one?.right) &&
      one.right.length === bins &&
      one.right.every(isCount) &&
      Array.isArray(one.wrong) &&
      one.wrong.every(
        (cell) =>
          isCount(cell?.rows) &&
          (cell.predicted === ELSEWHERE ||
            (isCount(cell.predicted) && cell.predicted < levels.length)) &&
          Array.isArray(cell.bins) &&
          cell.bins.length === 2 &&
          cell.bins.every(isBin),
      ),
  );
  return isSound && sum(classes.map(({ right, wrong }) => sum(right) + rowsInCells(wrong))) === n;
}
