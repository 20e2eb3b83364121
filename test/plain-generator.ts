import type { ValueRange } from '../src/network/generated-inputs.ts';
import type { GeneratorLayer, GeneratorPlan } from '../src/network/generator-plan.ts';
import { valueCount } from '../src/network/network-plan.ts';

/** A batch in float64 by the definition of every layer: for each example its inputs in the order of a network's plan. */
export function plainBatch(
  plan: GeneratorPlan,
  ranges: readonly ValueRange[],
  batch: number,
  parameters: Float64Array,
): number[][] {
  let values = Array.from({ length: batch }, (_, row) =>
    Array.from({ length: plan.code }, (_, k) => parameters[plan.weights + row * plan.code + k]),
  );
  for (const layer of plan.layers) values = apply(layer, parameters, values);
  const { channels } = plan.input;
  const pixels = valueCount(plan.input) / channels;
  const pitch = values[0].length / pixels;
  return values.map((own) =>
    Array.from({ length: channels * pixels }, (_, k) => {
      const c = Math.floor(k / pixels);
      const x = own[(k % pixels) * pitch + c] + parameters[plan.shifts + c];
      const { low, high } = ranges[c];
      return low + (high - low) / (1 + Math.exp(-x));
    }),
  );
}

function apply(layer: GeneratorLayer, weights: Float64Array, values: number[][]): number[][] {
  if (layer.kind === 'norm') return normalised(layer, weights, values);
  const { from, to } = layer;
  return values.map((own) =>
    Array.from({ length: valueCount(to) }, (_, k) => {
      const channel = k % to.channels;
      const pixel = (k - channel) / to.channels;
      const [y, x] = [Math.floor(pixel / to.width), pixel % to.width];
      const at = (row: number, column: number, c: number) =>
        row < 0 || column < 0 || row >= from.height || column >= from.width
          ? 0
          : own[(row * from.width + column) * from.channels + c];
      if (layer.kind === 'upsample') return at(Math.floor(y / 2), Math.floor(x / 2), channel);
      if (layer.kind === 'dense') {
        return own.reduce(
          (sum, v, i) => sum + v * weights[layer.start + i * valueCount(to) + k],
          0,
        );
      }
      let sum = 0;
      for (let tap = 0; tap < layer.size ** 2; tap++) {
        const [i, j] = [Math.floor(tap / layer.size), tap % layer.size];
        for (let c = 0; c < from.channels; c++) {
          const place = layer.start + (tap * from.channels + c) * to.channels + channel;
          sum += weights[place] * at(y + i - 1, x + j - 1, c);
        }
      }
      return sum;
    }),
  );
}

function normalised(
  { from, start, slope }: Extract<GeneratorLayer, { kind: 'norm' }>,
  weights: Float64Array,
  values: number[][],
): number[][] {
  const { channels } = from;
  const units = Array.from({ length: channels }, (_, c) => {
    const all = values.flatMap((own) => own.filter((_, k) => k % channels === c));
    const mean = all.reduce((sum, v) => sum + v, 0) / all.length;
    const variance = all.reduce((sum, v) => sum + (v - mean) ** 2, 0) / all.length;
    return { mean, deviation: Math.sqrt(variance + 1e-5) };
  });
  return values.map((own) =>
    own.map((v, k) => {
      const c = k % channels;
      const unit = (v - units[c].mean) / units[c].deviation;
      const scaled = unit * weights[start + c] + weights[start + channels + c];
      return scaled > 0 ? scaled : slope * scaled;
    }),
  );
}
