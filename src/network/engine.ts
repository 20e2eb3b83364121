import { forwardPass } from './forward-pass.ts';
import { createGradientSum } from './gradient-sum.ts';
import { type NetworkPlan, valueCount } from './network-plan.ts';
import { pack, unpack, valueOrder } from './weight-layout.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

/** A network with weights that runs examples. The outputs of an example are the same bits in every pass and on every engine. */
export interface Engine {
  readonly plan: NetworkPlan;
  /** Most examples of one pass. */
  readonly most: number;
  /** Takes the weights, in the order of the plan. */
  load(weights: Float32Array): void;
  /** Inputs of the next pass, one example after the other. */
  inputs(): Float32Array;
  /** Outputs of the first `rows` inputs: a row for each example. */
  forward(rows: number): Float32Array;
  /** The inputs of a layer with weights in the last pass, a row for each example, without the 1 of a bias. */
  activations(block: number): Float32Array;
  /** The gradient by the weights, summed over the examples of the last pass, from the gradient by its outputs. */
  backward(outputGradient: Float32Array): Float32Array;
}

/** An engine for passes of up to `most` examples. */
export function createEngine(plan: NetworkPlan, most: number): Engine {
  const workspace = createWorkspace(plan, most);
  const { kernels, layouts, length } = workspace;
  const sum = createGradientSum(workspace);
  let rows = 0;
  return {
    plan,
    most,
    load: (weights) => loadWeights(workspace, weights),
    inputs: () => kernels.f32(workspace.given, most * valueCount(plan.input)),
    forward(count) {
      if (!(count >= 0 && count <= most)) {
        throw new RangeError(`rows must be from 0 to ${most}: ${count}`);
      }
      rows = count;
      forwardPass(workspace, rows);
      return outputsOfPass(workspace, rows);
    },
    activations(block) {
      const { stage, inputs, inputPitch } = workspace.stages.find(
        ({ layout }) => layout?.block.index === block,
      )!;
      const { channels } = stage.from;
      const values = valueCount(stage.from);
      const order = Int32Array.from({ length: values }, (_, k) =>
        valueOrder(channels, values / channels, k),
      );
      const from = kernels.f32(inputs, rows * inputPitch);
      const made = new Float32Array(rows * values);
      for (let row = 0; row < rows; row++) {
        for (let k = 0; k < values; k++) made[row * values + k] = from[row * inputPitch + order[k]];
      }
      return made;
    },
    backward(outputGradient) {
      putOutputGradient(workspace, rows, outputGradient);
      const pointer = sum.run(rows);
      return unpack(layouts, kernels.f32(pointer, length), new Float32Array(plan.weights));
    },
  };
}

/** Takes the weights, in the order of the plan. */
export function loadWeights(
  { plan, kernels, layouts, weights, length }: Workspace,
  given: Float32Array,
): void {
  if (given.length !== plan.weights) {
    throw new RangeError(`the network has ${plan.weights} weights, not ${given.length}`);
  }
  pack(layouts, given, kernels.f32(weights, length));
}

/** The outputs of the last pass: a row for each example. */
export function outputsOfPass({ plan, kernels, stages }: Workspace, rows: number): Float32Array {
  const { made, layout } = stages.at(-1)!;
  const pitch = layout!.outputs;
  const from = kernels.f32(made, rows * pitch);
  const outputs = new Float32Array(rows * plan.outputs);
  for (let row = 0; row < rows; row++) {
    outputs.set(from.subarray(row * pitch, row * pitch + plan.outputs), row * plan.outputs);
  }
  return outputs;
}

/** Writes the gradient by the outputs for one seed: a row for each example. */
export function putOutputGradient(
  { plan, kernels, stages, outputGradient, seedRows }: Workspace,
  rows: number,
  gradient: Float32Array,
  seed = 0,
): void {
  const pitch = stages.at(-1)!.layout!.outputs;
  const target = kernels.f32(outputGradient + 4 * seed * seedRows * pitch, rows * pitch);
  for (let row = 0; row < rows; row++) {
    const at = row * plan.outputs;
    target.set(gradient.subarray(at, at + plan.outputs), row * pitch);
  }
}
