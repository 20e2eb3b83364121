/** Rows of one class that the model cannot tell apart: the class it predicts, and a bin for each probability that is counted. */
export interface PredictionCell {
  readonly predicted: number;
  readonly bins: readonly number[];
  readonly rows: number;
}

/**
 * Moves rows into a cell nearby until each cell has at least `smallest` rows. No cell is new, no row is lost, and nothing moves
 * if all cells are that large. The cells are split at the median of an axis while both parts are large enough (LeFevre, DeWitt
 * & Ramakrishnan 2006, §3, "Mondrian"), then one cell stands for each part.
 */
export function mergedCells(
  cells: readonly PredictionCell[],
  smallest: number,
): readonly PredictionCell[] {
  const parts = byPrediction(cells.toSorted(inOrder), smallest);
  return standIns(parts.flatMap((part) => split(part, smallest)));
}

export function rowsInCells(cells: readonly PredictionCell[]): number {
  return cells.reduce((total, { rows }) => total + rows, 0);
}

/** So that the result does not depend on the order of the rows. */
function inOrder(a: PredictionCell, b: PredictionCell): number {
  const differs = a.bins.findIndex((bin, axis) => bin !== b.bins[axis]);
  return differs < 0 ? a.predicted - b.predicted : a.bins[differs] - b.bins[differs];
}

/** The cells by the class predicted; classes with few rows are put with the one that has most. */
function byPrediction(cells: readonly PredictionCell[], smallest: number): PredictionCell[][] {
  const parts = new Map<number, PredictionCell[]>();
  for (const cell of cells) {
    const part = parts.get(cell.predicted);
    if (part === undefined) parts.set(cell.predicted, [cell]);
    else part.push(cell);
  }
  const [most, ...rest] = [...parts.values()].sort((a, b) => rowsInCells(b) - rowsInCells(a));
  if (most === undefined) return [];
  const few = rest.filter((part) => rowsInCells(part) < smallest);
  return [[...most, ...few.flat()], ...rest.filter((part) => !few.includes(part))];
}

/** The parts that no cut divides into two large enough ones. */
function split(cells: readonly PredictionCell[], smallest: number): (readonly PredictionCell[])[] {
  const half = rowsInCells(cells) / 2;
  for (const axis of axesBySpread(cells)) {
    const sorted = cells.toSorted((a, b) => a.bins[axis] - b.bins[axis]);
    let best: { readonly at: number; readonly distance: number } | undefined;
    let below = 0;
    for (let at = 1; at < sorted.length; at++) {
      below += sorted[at - 1].rows;
      if (sorted[at].bins[axis] === sorted[at - 1].bins[axis]) continue;
      if (below < smallest || 2 * half - below < smallest) continue;
      const distance = Math.abs(below - half);
      if (best === undefined || distance < best.distance) best = { at, distance };
    }
    if (best === undefined) continue;
    return [sorted.slice(0, best.at), sorted.slice(best.at)].flatMap((part) =>
      split(part, smallest),
    );
  }
  return [cells];
}

/** The axes with several bins, the widest first. */
function axesBySpread(cells: readonly PredictionCell[]): number[] {
  const spreads = cells[0].bins.map((_, axis) => {
    let [low, high] = [Infinity, -Infinity];
    for (const { bins } of cells) {
      low = Math.min(low, bins[axis]);
      high = Math.max(high, bins[axis]);
    }
    return high - low;
  });
  const axes = [...spreads.keys()].filter((axis) => spreads[axis] > 0);
  return axes.sort((a, b) => spreads[b] - spreads[a]);
}

/**
 * One cell for each part. A centre would draw the rows of a class together, and the model would look better than it is. So each
 * choice keeps the sums of the bins, and of their squares, over all parts so far as close as can be to what they were.
 */
function standIns(parts: readonly (readonly PredictionCell[])[]): PredictionCell[] {
  const highest = parts.flat().reduce((most, { bins }) => Math.max(most, ...bins), 1);
  let drift: readonly number[] = [];
  return parts.map((cells) => {
    const rows = rowsInCells(cells);
    const exact = cells.map((cell) => scaled(powers(cell, highest), cell.rows)).reduce(added);
    const drifts = cells.map((cell) =>
      added(added(scaled(powers(cell, highest), rows), scaled(exact, -1)), drift),
    );
    const costs = drifts.map((values) => values.reduce((sum, value) => sum + value ** 2, 0));
    const best = costs.indexOf(Math.min(...costs));
    drift = drifts[best];
    return { ...cells[best], rows };
  });
}

/** Each bin as a share of the highest one, and its square. */
function powers({ bins }: PredictionCell, highest: number): number[] {
  const shares = bins.map((bin) => bin / highest);
  return [...shares, ...shares.map((share) => share ** 2)];
}

function scaled(values: readonly number[], factor: number): number[] {
  return values.map((value) => factor * value);
}

function added(a: readonly number[], b: readonly number[]): number[] {
  return a.map((value, k) => value + (b[k] ?? 0));
}
