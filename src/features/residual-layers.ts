import { rowProjector, type ScaledColumn } from '../numeric/project-rows.ts';
import { columnNormals } from './column-normals.ts';
import type { DesignColumn } from './design.ts';
import type { Interval } from './interval.ts';
import type { RowMapper } from './map-design.ts';
import type { LayerFactors } from './residual-terms.ts';

/** Size of the part that a layer adds to a prediction, in public units of the response, beyond which it is cut. */
export const LARGEST_STEP = 16;

/** A column of X: all its values, and the size of most of them. */
export interface CarriedColumn {
  readonly interval: Interval;
  readonly scale: number;
}

/** A random hidden layer: h × f weights, row-major, and f constants. */
export interface HiddenLayer {
  readonly weights: Float64Array;
  readonly constants: Float64Array;
}

let last: { readonly key: string; readonly layer: HiddenLayer } | undefined;

/**
 * R and b of a contact, from (seed, contact, column) alone: of the column's normals the first, halved, is its constant, and the
 * next h, over √h, are its weights.
 */
export function hiddenLayer(
  columns: number,
  { dimension, seed }: { readonly dimension: number; readonly seed: number },
  contact: number,
): HiddenLayer {
  const key = `${columns}/${dimension}/${seed}/${contact}`;
  if (last?.key === key) return last.layer; // only the last: it may be large, and one study is used at a time
  const weights = new Float64Array(columns * dimension);
  const constants = new Float64Array(dimension);
  const unit = Math.sqrt(columns);
  for (let j = 0; j < dimension; j++) {
    const next = columnNormals('residual', seed, `${contact} ${j}`);
    constants[j] = next() / 2;
    for (let i = 0; i < columns; i++) weights[i * dimension + j] = next() / unit;
  }
  last = { key, layer: { weights, constants } };
  return last.layer;
}

/** Relative margin for the rounding of a sum of products: far above any rounding error. */
const MARGIN = 1e-9;

/** The first X: columns in their public units. */
export function firstCarried(given: readonly DesignColumn[]): CarriedColumn[] {
  return given.map(({ interval: { low, high }, publicUnit: { center, scale } }) => ({
    interval: { low: (low - center) / scale, high: (high - center) / scale },
    scale: 1,
  }));
}

/** X after a layer. Its scale takes every step to have SD 1, in public units of the response. */
export function carriedAfter(
  carried: readonly CarriedColumn[],
  { rank, output }: LayerFactors,
): CarriedColumn[] {
  return carried.map(({ interval: { low, high }, scale }, j) => {
    let [reach, squares] = [0, scale * scale];
    for (let k = 0; k < rank; k++) {
      const weight = output[k * carried.length + j];
      reach += LARGEST_STEP * Math.abs(weight);
      squares += weight * weight;
    }
    const slack = MARGIN * (reach + Math.max(Math.abs(low), Math.abs(high)));
    return {
      interval: { low: low - reach - slack, high: high + reach + slack },
      scale: Math.sqrt(squares),
    };
  });
}

/** All values of the hidden columns over X. */
export function hiddenIntervals(
  carried: readonly CarriedColumn[],
  { weights, constants }: HiddenLayer,
): Interval[] {
  const { length: dimension } = constants;
  return Array.from(constants, (constant, j) => {
    let [low, high, reach] = [constant, constant, Math.abs(constant)];
    carried.forEach(({ interval, scale }, i) => {
      const weight = weights[i * dimension + j] / scale;
      low += Math.min(weight * interval.low, weight * interval.high);
      high += Math.max(weight * interval.low, weight * interval.high);
      reach += Math.abs(weight) * Math.max(Math.abs(interval.low), Math.abs(interval.high));
    });
    const slack = MARGIN * reach;
    return { low: Math.max(0, low - slack), high: Math.max(0, high + slack) };
  });
}

/**
 * Rows to X and F of the newest contact: X through every layer, then its hidden columns. `scales` are those of X before each
 * layer and after the last. Every sum is rounded in a fixed order, so the bits are the same everywhere.
 */
export function layeredMapper(
  layers: readonly LayerFactors[],
  hidden: readonly HiddenLayer[],
  scales: readonly (readonly number[])[],
): RowMapper {
  const columns = scales[0].length;
  const fills = hidden.map((layer, t) => hiddenFill(layer, scales[t]));
  let scratch: Float64Array[] = [];
  return (given, rows, target) => {
    const carried = target.slice(0, columns);
    const made = target.slice(columns);
    if (layers.length > 0 && (scratch[0]?.length ?? 0) < rows) {
      scratch = made.map(() => new Float64Array(rows));
    }
    inUnits(given, rows, carried);
    layers.forEach((layer, t) => {
      fills[t](carried, rows, scratch);
      addLayer(layer, scratch, rows, carried);
    });
    fills[layers.length](carried, rows, made);
  };
}

function inUnits(
  given: readonly ScaledColumn[],
  rows: number,
  target: readonly Float64Array[],
): void {
  given.forEach(({ values, center, scale }, j) => {
    for (let r = 0; r < rows; r++) target[j][r] = (values[r] - center) / scale;
  });
}

type Fill = (
  carried: readonly Float64Array[],
  rows: number,
  target: readonly Float64Array[],
) => void;

/** max(0, b + Σ Rᵢⱼ·xᵢ/scaleᵢ): the sum starts at 0 and adds in order of i, then b is added. */
function hiddenFill({ weights, constants }: HiddenLayer, scales: readonly number[]): Fill {
  const project = rowProjector(weights, scales.length, constants.length);
  return (carried, rows, target) => {
    project(
      carried.map((values, i) => ({ values, center: 0, scale: scales[i] })),
      rows,
      target,
    );
    constants.forEach((constant, j) => {
      const values = target[j];
      for (let r = 0; r < rows; r++) {
        const sum = values[r] + constant;
        values[r] = Math.max(0, sum);
      }
    });
  };
}

/** X ← X + clip([1, F]·hidden)·output, each sum in the order of its index. */
function addLayer(
  { rank, hidden, output }: LayerFactors,
  made: readonly Float64Array[],
  rows: number,
  carried: readonly Float64Array[],
): void {
  const steps = Array.from({ length: rank }, (_, k) => {
    const step = new Float64Array(rows).fill(hidden[k]);
    made.forEach((values, j) => {
      const weight = hidden[(j + 1) * rank + k];
      for (let r = 0; r < rows; r++) step[r] += values[r] * weight;
    });
    return step.map((value) => Math.max(-LARGEST_STEP, Math.min(LARGEST_STEP, value)));
  });
  const sums = new Float64Array(rows);
  carried.forEach((values, i) => {
    sums.fill(0);
    steps.forEach((step, k) => {
      const weight = output[k * carried.length + i];
      for (let r = 0; r < rows; r++) sums[r] += step[r] * weight;
    });
    for (let r = 0; r < rows; r++) values[r] += sums[r];
  });
}
