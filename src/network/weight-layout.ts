import { type NetworkPlan, valueCount, type WeightBlock } from './network-plan.ts';
import type { WeightLayer } from './stages.ts';
import { weightLayers } from './unit-columns.ts';

/** The weights of a layer in kernel memory: a row for each input, a column for each output, both up to a multiple of 4. */
export interface BlockLayout {
  readonly block: WeightBlock;
  /** Place of its first number in kernel memory, among those of all layers. */
  readonly start: number;
  /** Inputs, up to a multiple of 4. */
  readonly inputs: number;
  /** Outputs, up to a multiple of 4. */
  readonly outputs: number;
  /** For each column of the block its row in kernel memory, where images are [row][column][channel]. */
  readonly order: Int32Array;
}

/** Up to a multiple of 4. */
export function fours(count: number): number {
  return Math.ceil(count / 4) * 4;
}

/** The layouts of all layers with weights, one after the other. */
export function weightLayouts(plan: NetworkPlan): readonly BlockLayout[] {
  let start = 0;
  return weightLayers(plan).map((layer) => {
    const { weights: block } = layer;
    const [inputs, outputs] = [fours(block.columns), fours(block.rows)];
    const made = { block, start, inputs, outputs, order: columnOrder(layer) };
    start += inputs * outputs;
    return made;
  });
}

/** Numbers of all layers in kernel memory. */
export function layoutLength(layouts: readonly BlockLayout[]): number {
  return layouts.reduce((sum, { inputs, outputs }) => sum + inputs * outputs, 0);
}

function columnOrder(layer: WeightLayer): Int32Array {
  const { from, weights } = layer;
  const pixels = layer.kind === 'dense' ? valueCount(from) / from.channels : layer.size ** 2;
  return Int32Array.from({ length: weights.columns }, (_, column) =>
    column === from.channels * pixels ? column : valueOrder(from.channels, pixels, column),
  );
}

/** The place in [pixel][channel] of a value in [channel][pixel]. */
export function valueOrder(channels: number, pixels: number, place: number): number {
  const channel = Math.floor(place / pixels);
  return (place - channel * pixels) * channels + channel;
}

/** Writes weights as a study has them into kernel memory; what only fills up is 0. */
export function pack(
  layouts: readonly BlockLayout[],
  weights: ArrayLike<number>,
  target: Float32Array,
): void {
  target.fill(0);
  for (const { block, start, outputs, order } of layouts) {
    for (let row = 0; row < block.rows; row++) {
      const from = block.start + row * block.columns;
      for (let column = 0; column < block.columns; column++) {
        target[start + order[column] * outputs + row] = weights[from + column];
      }
    }
  }
}

/** The reverse of `pack`, into an array of the study's order. */
export function unpack<T extends Float32Array | Float64Array>(
  layouts: readonly BlockLayout[],
  source: ArrayLike<number>,
  target: T,
): T {
  for (const { block, start, outputs, order } of layouts) {
    for (let row = 0; row < block.rows; row++) {
      const to = block.start + row * block.columns;
      for (let column = 0; column < block.columns; column++) {
        target[to + column] = source[start + order[column] * outputs + row];
      }
    }
  }
  return target;
}
