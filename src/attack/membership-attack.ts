import { symmetricEigen } from '../numeric/eigen.ts';
import { createKernels } from '../numeric/kernels.ts';
import type { WordSource } from '../random/words.ts';
import { type LinearStatistic, rowCount } from '../statistic/statistic.ts';
import type { Block } from '../table/columns.ts';
import { auc } from './auc.ts';
import { type ModelColumns, modelColumns, pickRows, summaryOf, type Target } from './site-rows.ts';
import { framedProduct } from './two-valued.ts';

/** How well a statistic shows whether a given row is in it. */
export interface Membership {
  /**
   * `distance`: with fewer rows than columns, rows of the statistic lie in its range and others do not. `leverage`: a row
   * pulls the statistic towards itself, so aᵀG⁻¹a is smaller for rows that are in it.
   */
  readonly by: 'distance' | 'leverage';
  readonly members: number;
  readonly others: number;
  /** ½ for guessing, 1 for always right. */
  readonly auc: number;
  /** How often the file was split in halves: one is summarised, the other has the rows to compare with. */
  readonly halvings?: number;
  /** With `distance`: the largest of a member and the smallest of another row, over the row's length; 0 within rounding. */
  readonly farthestMember?: number;
  readonly nearestOther?: number;
}

/** Most rows that are scored, of members and of others. */
const MOST_SCORED = 2000;
const LEAST_OTHERS = 1000;
/** Most random halvings of a small file; the results are averaged. */
const MOST_HALVINGS = 20;
/** Distances up to this, over the row's length, are rounding to the grid. */
const ROUNDING = 1e-9;

/**
 * Tests "is this row in the data?". With fewer rows than columns, it compares the file's rows with rows whose cells are
 * drawn column by column from the file; otherwise rows of one half, whose statistic is attacked, with those of the other half.
 * Undefined if no other row can be drawn from the cells.
 */
export function membershipAttack(target: Target, random: WordSource): Membership | undefined {
  const { block, layout } = target;
  if (block.rows < layout.columns.length) {
    const others = shuffledCells(block, Math.max(LEAST_OTHERS, block.rows), random);
    if (others.rows === 0) return undefined;
    return byDistance(target, summaryOf(target, block).statistic, block, others);
  }
  const halvings = Math.min(MOST_HALVINGS, Math.ceil(MOST_SCORED / block.rows));
  const results = Array.from({ length: halvings }, () => againstOtherHalf(target, random));
  const mean = results.reduce((sum, result) => sum + result.auc, 0) / halvings;
  const farthest = results.map(({ farthestMember = 0 }) => farthestMember);
  const nearest = results.map(({ nearestOther = 0 }) => nearestOther);
  return {
    ...results[0],
    halvings,
    auc: mean,
    ...(results[0].by === 'distance' && {
      farthestMember: Math.max(...farthest),
      nearestOther: Math.min(...nearest),
    }),
  };
}

function againstOtherHalf(target: Target, random: WordSource): Membership {
  const { block, layout } = target;
  const order = shuffled(block.rows, random);
  const half = Math.ceil(block.rows / 2);
  const members = pickRows(block, order.subarray(0, half));
  const others = pickRows(block, order.subarray(half));
  const { statistic } = summaryOf(target, members);
  const attack = members.rows < layout.columns.length ? byDistance : byLeverage;
  return attack(target, statistic, members, others);
}

function byDistance(
  target: Target,
  statistic: LinearStatistic,
  members: Block,
  others: Block,
): Membership {
  const { vectors, values, width } = spectrum(statistic);
  const outside = values.findIndex((value) => value > dependentBelow(values));
  const score = (row: Float64Array) => {
    const distance = Math.sqrt(
      sumOver(0, outside < 0 ? width : outside, (k) => along(vectors, width, k, row) ** 2) /
        sumOver(0, width, (i) => row[i] ** 2),
    );
    return distance > ROUNDING ? distance : 0;
  };
  const { inside, beyond, summary } = compared(target, members, others, score);
  return {
    by: 'distance',
    ...summary,
    farthestMember: Math.max(...inside),
    nearestOther: Math.min(...beyond),
  };
}

function byLeverage(
  target: Target,
  statistic: LinearStatistic,
  members: Block,
  others: Block,
): Membership {
  const { vectors, values, width } = spectrum(statistic);
  const from = values.findIndex((value) => value > dependentBelow(values));
  const score = (row: Float64Array) =>
    sumOver(from, width, (k) => along(vectors, width, k, row) ** 2 / values[k]);
  return { by: 'leverage', ...compared(target, members, others, score).summary };
}

/** The scores of members and others, and how well the scores separate them. */
function compared(
  target: Target,
  members: Block,
  others: Block,
  score: (row: Float64Array) => number,
) {
  const inside = scores(target, members, score);
  const beyond = scores(target, others, score);
  const counts = { members: inside.length, others: beyond.length };
  return { inside, beyond, summary: { ...counts, auc: auc(beyond, inside) } };
}

/** Eigenvalues up to this are rounding to the grid. */
function dependentBelow(values: Float64Array): number {
  return values[values.length - 1] * 1e-11;
}

function spectrum(statistic: LinearStatistic): {
  readonly vectors: Float64Array;
  readonly values: Float64Array;
  readonly width: number;
} {
  const width = statistic.layout.columns.length;
  const matrix = new Float64Array(width * width);
  const rows = rowCount(statistic);
  for (let i = 0; i < width; i++) {
    for (let j = i; j < width; j++) matrix[i * width + j] = framedProduct(statistic, i, j) / rows;
  }
  return { ...symmetricEigen(createKernels(), matrix, width), width };
}

function along(vectors: Float64Array, width: number, k: number, row: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < width; i++) sum += vectors[i * width + k] * row[i];
  return sum;
}

function sumOver(from: number, to: number, term: (k: number) => number): number {
  let sum = 0;
  for (let k = from; k < to; k++) sum += term(k);
  return sum;
}

/** The scores of a block's first rows u = (z − center) / scale. */
function scores(target: Target, block: Block, score: (row: Float64Array) => number): number[] {
  const rows = Math.min(block.rows, MOST_SCORED);
  const columns: ModelColumns = modelColumns(target, pickRows(block, [...Array(rows).keys()]));
  const { references } = target.layout;
  return Array.from({ length: rows }, (_, r) =>
    score(
      Float64Array.from(references, ({ center, scale }, i) => (columns[i][r] - center) / scale),
    ),
  );
}

/** Rows that are not in the file: every cell is drawn from its column. */
function shuffledCells(block: Block, tries: number, random: WordSource): Block {
  const keyOf = (columns: readonly Float64Array[], r: number) =>
    columns.map((values) => values[r]).join();
  const own = new Set(Array.from({ length: block.rows }, (_, r) => keyOf(block.columns, r)));
  const columns = block.columns.map((values) =>
    Float64Array.from({ length: tries }, () => values[random() % block.rows]),
  );
  const foreign = [...Array(tries).keys()].filter((r) => !own.has(keyOf(columns, r)));
  return pickRows({ rows: tries, columns }, foreign);
}

function shuffled(rows: number, random: WordSource): Int32Array {
  const order = Int32Array.from({ length: rows }, (_, r) => r);
  for (let r = rows - 1; r > 0; r--) {
    const other = random() % (r + 1);
    [order[r], order[other]] = [order[other], order[r]];
  }
  return order;
}
