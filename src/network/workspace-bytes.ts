import { type NetworkPlan, valueCount } from './network-plan.ts';
import { fours } from './weight-layout.ts';
import { TOGETHER } from './workspace.ts';

/** Bytes that `createWorkspace` would reserve, to a factor of two. */
export function workspaceBytes(
  { layers, input }: NetworkPlan,
  most: number,
  seeds: number,
): number {
  let numbers = most * valueCount(input);
  for (const layer of layers) {
    if (layer.kind !== 'dense' && layer.kind !== 'convolution') continue;
    const { rows, columns, positions } = layer.weights;
    const [inputs, outputs] = [fours(columns), fours(rows)];
    const windows = positions * inputs;
    const together =
      layer.kind === 'dense' ? most : Math.min(most, Math.max(1, Math.floor(TOGETHER / windows)));
    const { channels, height, width } = layer.to;
    const given = fours(valueCount(layer.from)) + fours(channels) * height * width;
    numbers += 5 * inputs * outputs + most * given + seeds * most * fours(valueCount(layer.from));
    numbers += together * positions * 2 * (inputs + outputs);
  }
  return 4 * numbers;
}
