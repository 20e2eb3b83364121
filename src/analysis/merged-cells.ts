import type { Failure } from '../failure.ts';
/** Rows of one class that the model cannot tell apart: the class it predicts, and a bin for each probability that is counted. */
export interface PredictionCell {
  readonly predicted: number;
  readonly bins: readonly number[];
  readonly rows: number;
}

/**
 * Moves rows into a cell nearby until each cell has at least `smallest` rows. No row is lost, and nothing moves if all cells are
 * that large. Where a cell is never depends on fewer rows: the bins are halved at public places, and a half with few rows goes along
 * with the other, whether it has none or some. A cell with enough rows stays where it is; others are put into the middle of
 * the halves that were left. So a count in a bin that one person alone could be in does not tell that the person is in it.
 */
export function mergedCells(
  cells: readonly PredictionCell[],
  smallest: number,
  bins: number,
): readonly PredictionCell[] {
  return byPrediction(cells.toSorted(inOrder), smallest).flatMap((part) =>
    halved(predictedBox(part, smallest, bins), smallest).map((box) => ({
      predicted: part.predicted,
      ...standIn(box, smallest),
    })),
  );
}

/** Where cells may be: bins from `low` up to but not including `high` on each axis; `moved` rows of elsewhere go along. */
export interface AllowedBins {
  readonly low: readonly number[];
  readonly high: readonly number[];
  readonly bins: number;
  readonly moved?: number;
}

/** The same for cells of one prediction and bins of any meaning; all bins are allowed where a large cell is beyond. */
export function mergedWithin(
  cells: readonly PredictionCell[],
  { low, high, bins, moved = 0 }: AllowedBins,
  smallest: number,
): readonly Pick<PredictionCell, 'bins' | 'rows'>[] {
  const box = boxOf(cells.toSorted(inOrder), low, high, smallest, bins);
  const whole = { ...box, moved: box.moved + moved };
  return rowsInCells(whole.cells) + whole.moved === 0
    ? []
    : halved(whole, smallest).map((one) => standIn(one, smallest));
}

export function rowsInCells(cells: readonly PredictionCell[]): number {
  return cells.reduce((total, { rows }) => total + rows, 0);
}

/** Why counts cannot be given, if a class has rows, but fewer than the study allows to count. */
export function smallClass(sizes: readonly number[], smallest: number): Failure | undefined {
  if (!sizes.some((size) => size > 0 && size < smallest)) return undefined;
  return {
    problem: `a class has fewer than ${smallest} rows here, and the study allows no such count`,
    remedy: 'evaluate on more rows',
  };
}

/** So that the result does not depend on the order of the rows. */
function inOrder(a: PredictionCell, b: PredictionCell): number {
  const differs = a.bins.findIndex((bin, axis) => bin !== b.bins[axis]);
  return differs < 0 ? a.predicted - b.predicted : a.bins[differs] - b.bins[differs];
}

interface PredictedPart {
  readonly predicted: number;
  readonly cells: readonly PredictionCell[];
}

/** The cells by the class predicted; classes with few rows are put with the one that has most. */
function byPrediction(cells: readonly PredictionCell[], smallest: number): PredictedPart[] {
  const parts = new Map<number, PredictionCell[]>();
  for (const cell of cells) {
    const part = parts.get(cell.predicted);
    if (part === undefined) parts.set(cell.predicted, [cell]);
    else part.push(cell);
  }
  const [most, ...rest] = [...parts.values()].sort((a, b) => rowsInCells(b) - rowsInCells(a));
  if (most === undefined) return [];
  const few = rest.filter((part) => rowsInCells(part) < smallest);
  return [[...most, ...few.flat()], ...rest.filter((part) => !few.includes(part))].map((part) => ({
    predicted: part[0].predicted,
    cells: part,
  }));
}

/** Cells within bins from `low` up to but not including `high` on each axis, and the number of rows that go along with them. */
interface Box {
  readonly low: readonly number[];
  readonly high: readonly number[];
  readonly cells: readonly PredictionCell[];
  readonly moved: number;
}

/**
 * The bins that a predicted class allows, whose probability is the largest; of two levels, the only axis is that of the second.
 * Rows beyond, as of a prediction with few rows, go along; all bins are allowed where a large cell is beyond.
 */
function predictedBox({ predicted, cells }: PredictedPart, smallest: number, bins: number): Box {
  const axes = cells[0].bins.length;
  const isOwn = (axis: number) => predicted === (axes === 1 ? 1 : axis);
  const [least, most] = [Math.floor(bins / Math.max(2, axes)), Math.floor(bins / 2) + 1];
  const low = cells[0].bins.map((_, axis) => (isOwn(axis) ? least : 0));
  const high = low.map((_, axis) => (isOwn(axis) ? bins : most));
  return boxOf(cells, low, high, smallest, bins);
}

function boxOf(
  cells: readonly PredictionCell[],
  low: readonly number[],
  high: readonly number[],
  smallest: number,
  bins: number,
): Box {
  const isWithin = (cell: PredictionCell) =>
    cell.bins.every((bin, axis) => bin >= low[axis] && bin < high[axis]);
  if (cells.some((cell) => cell.rows >= smallest && !isWithin(cell))) {
    return { low: low.map(() => 0), high: high.map(() => bins), cells, moved: 0 };
  }
  const within = cells.filter(isWithin);
  return { low, high, cells: within, moved: rowsInCells(cells) - rowsInCells(within) };
}

/**
 * Halves a box again and again, while one half must have enough rows: along the axis that leaves most rows in both halves; if all
 * leave few in one half, along those that leave none there, else along the widest.
 */
function halved(whole: Box, smallest: number): Box[] {
  let box = whole;
  for (;;) {
    const { low, high, cells, moved } = box;
    const rows = rowsInCells(cells);
    const widths = high.map((end, axis) => end - low[axis]);
    const widest = widths.indexOf(Math.max(...widths));
    if (widths[widest] <= 1 || rows < 2 * smallest - 1) return [box];
    const middles = low.map((start, axis) => start + Math.ceil(widths[axis] / 2));
    const below = middles.map((middle, axis) =>
      cells.reduce((sum, one) => sum + (one.bins[axis] < middle ? one.rows : 0), 0),
    );
    const fewer = below.map((count) => Math.min(count, rows - count));
    const most = Math.max(...fewer);
    if (most >= smallest) {
      const axis = fewer.indexOf(most);
      const middle = middles[axis];
      const lower = cells.filter(({ bins }) => bins[axis] < middle);
      const upper = cells.filter(({ bins }) => bins[axis] >= middle);
      const halves = [
        { low, high: high.with(axis, middle), cells: lower, moved },
        { low: low.with(axis, middle), high, cells: upper, moved: 0 },
      ];
      return halves.flatMap((half) => halved(half, smallest));
    }
    const empty = [...fewer.keys()].filter((axis) => fewer[axis] === 0 && widths[axis] > 1);
    const cut = new Set(empty.length > 0 ? empty : [widest]);
    const isLower = (axis: number) => 2 * below[axis] >= rows;
    const next = {
      low: low.map((start, axis) => (cut.has(axis) && !isLower(axis) ? middles[axis] : start)),
      high: high.map((end, axis) => (cut.has(axis) && isLower(axis) ? middles[axis] : end)),
    };
    const left = cells.filter(({ bins }) =>
      [...cut].every((axis) => bins[axis] >= next.low[axis] && bins[axis] < next.high[axis]),
    );
    box = { ...next, cells: left, moved: moved + rows - rowsInCells(left) };
  }
}

/** The place and the number of the rows of a box. */
function standIn(
  { low, high, cells, moved }: Box,
  smallest: number,
): Pick<PredictionCell, 'bins' | 'rows'> {
  const large = cells.find(({ rows }) => rows >= smallest);
  const middle = low.map((start, axis) => Math.floor((start + high[axis] - 1) / 2));
  return { bins: large?.bins ?? middle, rows: rowsInCells(cells) + moved };
}
