import type { Answers } from '../src/network/examples.ts';
import { type NetworkPlan, type PlannedLayer, valueCount } from '../src/network/network-plan.ts';

/** Outputs of one example in float64, by the definition of every layer. */
export function plainOutputs(
  plan: NetworkPlan,
  weights: Float64Array,
  inputs: ArrayLike<number>,
): number[] {
  return plan.layers.reduce((values, layer) => apply(layer, weights, values), Array.from(inputs));
}

function apply(layer: PlannedLayer, weights: Float64Array, values: readonly number[]): number[] {
  if (layer.kind === 'relu') return values.map((value) => Math.max(value, 0));
  const { from, to } = layer;
  const at = (c: number, y: number, x: number) =>
    y < 0 || x < 0 || y >= from.height || x >= from.width
      ? 0
      : values[(c * from.height + y) * from.width + x];
  return Array.from({ length: valueCount(to) }, (_, k) => {
    const pixel = k % (to.height * to.width);
    const channel = (k - pixel) / (to.height * to.width);
    const [y, x] = [Math.floor(pixel / to.width), pixel % to.width];
    if (layer.kind === 'max-pool') {
      const { size } = layer;
      const window = Array.from({ length: size * size }, (_, tap) =>
        at(channel, y * size + Math.floor(tap / size), x * size + (tap % size)),
      );
      return Math.max(...window);
    }
    const { start, columns, bias } = layer.weights;
    const row = weights.subarray(start + channel * columns, start + (channel + 1) * columns);
    const seen = (column: number) => {
      if (layer.kind === 'dense') return values[column];
      const { size, padding } = layer;
      const tap = column % (size * size);
      const c = (column - tap) / (size * size);
      return at(c, y + Math.floor(tap / size) - padding, x + (tap % size) - padding);
    };
    return row.reduce(
      (sum, weight, column) => sum + weight * (bias && column === columns - 1 ? 1 : seen(column)),
      0,
    );
  });
}

/** The loss of one example in float64. */
export function plainLoss(answers: Answers, outputs: readonly number[], row: number): number {
  if (answers.kind === 'numbers') {
    const wanted = answers.numbers.subarray(row * outputs.length);
    return outputs.reduce((sum, output, k) => sum + (output - wanted[k]) ** 2 / 2, 0);
  }
  const most = Math.max(...outputs);
  const sum = outputs.reduce((total, output) => total + Math.exp(output - most), 0);
  return Math.log(sum) - (outputs[answers.classes[row]] - most);
}
