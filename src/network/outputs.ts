import { createEngine } from './engine.ts';
import type { Examples } from './examples.ts';
import { lossOf } from './loss.ts';
import { type NetworkPlan, valueCount } from './network-plan.ts';

/** Rows of one pass. */
const PASS = 64;

/** What the network says: a row for each example, a number for each class (before the softmax) or response. */
export function outputsOf(
  plan: NetworkPlan,
  weights: Float32Array,
  examples: Examples,
): Float32Array {
  const most = Math.min(PASS, Math.max(1, examples.rows));
  const engine = createEngine(plan, most);
  engine.load(weights);
  const values = valueCount(plan.input);
  const outputs = new Float32Array(examples.rows * plan.outputs);
  for (let from = 0; from < examples.rows; from += most) {
    const rows = Math.min(most, examples.rows - from);
    const inputs = engine.inputs();
    for (let k = 0; k < rows; k++) examples.fill(inputs, k * values, from + k);
    outputs.set(engine.forward(rows), from * plan.outputs);
  }
  return outputs;
}

/** The part of the examples whose class has the largest output. */
export function accuracyOf(plan: NetworkPlan, weights: Float32Array, examples: Examples): number {
  const { answers, rows } = examples;
  if (answers.kind !== 'classes') throw new RangeError('accuracy needs classes');
  const outputs = outputsOf(plan, weights, examples);
  let right = 0;
  for (let row = 0; row < rows; row++) {
    if (likeliestClass(outputs, row * plan.outputs, plan.outputs) === answers.classes[row]) right++;
  }
  return right / rows;
}

/** The class with the largest output; the first of several. */
export function likeliestClass(outputs: Float32Array, at: number, width: number): number {
  let most = 0;
  for (let k = 1; k < width; k++) if (outputs[at + k] > outputs[at + most]) most = k;
  return most;
}

/** The loss of every example. */
export function rowLosses(
  plan: NetworkPlan,
  weights: Float32Array,
  examples: Examples,
): Float64Array {
  const outputs = outputsOf(plan, weights, examples);
  const lossAt = lossOf(examples.answers, plan.outputs);
  const slopes = new Float32Array(outputs.length);
  return Float64Array.from({ length: examples.rows }, (_, row) =>
    lossAt(outputs, row * plan.outputs, row, slopes, 1),
  );
}
