import { backwardPass } from './backward-pass.ts';
import { putOutputGradient } from './engine.ts';
import { valueCount } from './network-plan.ts';
import { fours, valueOrder } from './weight-layout.ts';
import type { Workspace } from './workspace.ts';

/**
 * The gradient by the inputs of the last forward pass, from that by its outputs: a row for each example, in the order of the plan. The
 * workspace must reach the inputs.
 */
export function inputGradient(
  workspace: Workspace,
  rows: number,
  outputGradient: Float32Array,
): Float32Array {
  const { plan, kernels, stages } = workspace;
  const [first] = stages;
  if (first.inputGradient === 0) throw new RangeError('the workspace does not reach the inputs');
  putOutputGradient(workspace, rows, outputGradient);
  backwardPass(workspace, rows, 1, () => {});
  if (first.layout === undefined) return throughFirstPool(workspace, rows);
  const { channels } = plan.input;
  const values = valueCount(plan.input);
  const from = kernels.f32(first.inputGradient, rows * first.inputPitch);
  const made = new Float32Array(rows * values);
  for (let k = 0; k < values; k++) {
    const place = valueOrder(channels, values / channels, k);
    for (let row = 0; row < rows; row++) {
      made[row * values + k] = from[row * first.inputPitch + place];
    }
  }
  return made;
}

/** Back through a ReLU or pool that stands before the first layer with weights. */
function throughFirstPool({ plan, kernels, stages }: Workspace, rows: number): Float32Array {
  const [{ stage, chosen, chosenPitch }, next] = stages;
  const { channels, height, width } = stage.to;
  const wide = fours(channels);
  const pixels = valueCount(plan.input) / channels;
  const gradient = kernels.f32(next.inputGradient, rows * next.inputPitch);
  const places = new Int32Array(kernels.memory.buffer, chosen, rows * chosenPitch);
  const made = new Float32Array(rows * channels * pixels);
  for (let row = 0; row < rows; row++) {
    for (let p = 0; p < height * width; p++) {
      for (let c = 0; c < channels; c++) {
        const place = places[row * chosenPitch + p * wide + c];
        if (place < 0) continue;
        made[(row * channels + c) * pixels + place] +=
          gradient[row * next.inputPitch + p * channels + c];
      }
    }
  }
  return made;
}
