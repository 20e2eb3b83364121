import type { NetworkPlan, ValueShape, WeightBlock } from './network-plan.ts';
import type { WeightLayer } from './stages.ts';

/** The layers of a plan that have weights, the last one included. */
export function weightLayers({ layers }: NetworkPlan): readonly WeightLayer[] {
  return layers.filter((layer): layer is WeightLayer => 'weights' in layer);
}

/** Columns of a layer's matrix that belong to one unit of the layer before: the taps of a window, or the pixels of a channel. */
export function columnsOfUnit(block: WeightBlock, from: ValueShape): number {
  return (block.columns - (block.bias ? 1 : 0)) / from.channels;
}

/** A row-major matrix of weights, with the bias as its last column if there is one. */
export interface LayerMatrix {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float64Array;
}

/** The matrix of a layer among all weights. */
export function layerMatrix(weights: Float64Array, block: WeightBlock): LayerMatrix {
  const { start, rows, columns } = block;
  return { rows, columns, values: weights.slice(start, start + rows * columns) };
}

/** The matrix after unit u of the layer before has become unit `places[u]` of `units`; columns of new units are 0. */
export function moveColumns(
  { rows, columns, values }: LayerMatrix,
  places: Int32Array,
  units: number,
  columnsOfOne: number,
): LayerMatrix {
  const bias = columns - places.length * columnsOfOne;
  const width = units * columnsOfOne + bias;
  const moved = new Float64Array(rows * width);
  for (let i = 0; i < rows; i++) {
    const row = values.subarray(i * columns, (i + 1) * columns);
    places.forEach((place, u) => {
      const own = row.subarray(u * columnsOfOne, (u + 1) * columnsOfOne);
      moved.set(own, i * width + place * columnsOfOne);
    });
    if (bias === 1) moved[(i + 1) * width - 1] = row[columns - 1];
  }
  return { rows, columns: width, values: moved };
}
