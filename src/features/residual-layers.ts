import type { ScaledColumn } from '../numeric/project-rows.ts';
import type { DesignColumn } from './design.ts';
import type { Interval } from './interval.ts';
import type { RowMapper } from './map-design.ts';
import { projectedIntervals } from './projected-intervals.ts';
import { type RandomUnits, randomUnits, unitRows } from './random-units.ts';
import type { LayerFactors } from './residual-terms.ts';

/** Size of the part that a layer adds to a prediction, in public units of the response, beyond which it is cut. */
export const LARGEST_STEP = 16;

/** A column of X: all its values, and their unit, which has centre 0. */
export type CarriedColumn = Pick<DesignColumn, 'interval' | 'publicUnit'>;

/** The hidden layer of a contact: F = max(0, w·x/√h + b/2) with x in its unit and h columns; w and b are normals. */
export function hiddenUnits(
  columns: number,
  { dimension, seed }: { readonly dimension: number; readonly seed: number },
  contact: number,
): RandomUnits {
  const { weights, biases } = randomUnits(`residual ${contact}`, columns, dimension, seed);
  return { weights, biases: biases.map((bias) => bias / 2) };
}

/** X as the hidden layer takes it: in a unit that is √h times as large. */
export function hiddenInputs(carried: readonly CarriedColumn[]): CarriedColumn[] {
  const root = Math.sqrt(carried.length);
  return carried.map(({ interval, publicUnit: { center, scale } }) => ({
    interval,
    publicUnit: { center, scale: scale * root },
  }));
}

/** The first X: columns in their public units. */
export function firstCarried(given: readonly DesignColumn[]): CarriedColumn[] {
  return given.map(({ interval: { low, high }, publicUnit: { center, scale } }) => ({
    interval: { low: (low - center) / scale, high: (high - center) / scale },
    publicUnit: { center: 0, scale: 1 },
  }));
}

/** Relative margin for the rounding of a sum of products: far above any rounding error. */
const MARGIN = 1e-9;

/** X after a layer. Its unit takes every step to have SD 1, in public units of the response. */
export function carriedAfter(
  carried: readonly CarriedColumn[],
  { rank, output }: LayerFactors,
): CarriedColumn[] {
  return carried.map(({ interval: { low, high }, publicUnit: { center, scale } }, j) => {
    let [reach, squares] = [0, scale * scale];
    for (let k = 0; k < rank; k++) {
      const weight = output[k * carried.length + j];
      reach += LARGEST_STEP * Math.abs(weight);
      squares += weight * weight;
    }
    const slack = MARGIN * (reach + Math.max(Math.abs(low), Math.abs(high)));
    return {
      interval: { low: low - reach - slack, high: high + reach + slack },
      publicUnit: { center, scale: Math.sqrt(squares) },
    };
  });
}

/** All values of the hidden columns over X. */
export function hiddenIntervals(
  carried: readonly CarriedColumn[],
  { weights, biases }: RandomUnits,
): Interval[] {
  const sums = projectedIntervals(hiddenInputs(carried), weights, biases.length, biases);
  return sums.map(({ low, high }) => ({ low: Math.max(0, low), high: Math.max(0, high) }));
}

/**
 * Rows to X and F of the newest contact: X through every layer, then its hidden columns. `states` are X before each layer and
 * after the last, `units` their hidden layers. Every sum is rounded in a fixed order, so the bits are the same everywhere.
 */
export function layeredMapper(
  layers: readonly LayerFactors[],
  states: readonly (readonly CarriedColumn[])[],
  units: readonly RandomUnits[],
): RowMapper {
  const columns = states[0].length;
  const fills = units.map((one, t) => hiddenRows(one, states[t]));
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

function hiddenRows(units: RandomUnits, state: readonly CarriedColumn[]): Fill {
  const fill = unitRows(units);
  const scaled = hiddenInputs(state);
  return (carried, rows, target) => {
    const inputs = carried.map((values, i) => ({ values, ...scaled[i].publicUnit }));
    fill(inputs, rows, target);
    for (const values of target) {
      for (let r = 0; r < rows; r++) values[r] = Math.max(0, values[r]);
    }
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
