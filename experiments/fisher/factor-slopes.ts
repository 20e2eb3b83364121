import { valueCount } from '../../src/network/network-plan.ts';
import type { WeightLayer } from '../../src/network/stages.ts';

/**
 * Slopes of `weight` · images · ‖A − S‖² / ‖S‖² by the inputs of a layer without biases. S is a factor that was sent, A that of
 * the images: the mean of x xᵀ, summed over positions.
 */
export function factorSlopes(
  layer: WeightLayer,
  sent: Float64Array,
  images: number,
  weight: number,
): (inputs: Float32Array) => Float32Array {
  const { columns, positions } = layer.weights;
  const places = placesOf(layer);
  const values = valueCount(layer.from);
  const windows = new Float64Array(images * positions * columns);
  const errors = new Float64Array(columns * columns);
  const factor = (4 * weight) / sent.reduce((sum, entry) => sum + entry * entry, 0);
  return (inputs) => {
    for (let image = 0, at = 0; image < images; image++) {
      for (let k = 0; k < places.length; k++) windows[at++] = inputs[image * values + places[k]!]!;
    }
    secondMoments(windows, columns, images, errors);
    for (let k = 0; k < errors.length; k++) errors[k]! -= sent[k]!;
    const slopes = new Float32Array(inputs.length);
    for (let row = 0; row < images * positions; row++) {
      const to = Math.floor(row / positions) * values;
      const first = (row % positions) * columns;
      for (let i = 0; i < columns; i++) {
        const sum = product(errors, i * columns, windows, row * columns, columns);
        slopes[to + places[first + i]!]! += factor * sum;
      }
    }
    return slopes;
  };
}

/** The sum of x xᵀ over the rows of a matrix, divided. */
function secondMoments(
  rows: Float64Array,
  columns: number,
  divisor: number,
  out: Float64Array,
): void {
  out.fill(0);
  for (let from = 0; from < rows.length; from += columns) {
    for (let i = 0; i < columns; i++) {
      const own = rows[from + i]! / divisor;
      if (own === 0) continue; // many are, after a ReLU
      for (let j = i; j < columns; j++) out[i * columns + j]! += own * rows[from + j]!;
    }
  }
  for (let i = 0; i < columns; i++) {
    for (let j = 0; j < i; j++) out[i * columns + j] = out[j * columns + i]!;
  }
}

function product(a: Float64Array, from: number, b: Float64Array, at: number, length: number) {
  let sum = 0;
  for (let k = 0; k < length; k++) sum += a[from + k]! * b[at + k]!;
  return sum;
}

/** For each position and column of a layer the place of its value among the inputs. */
function placesOf(layer: WeightLayer): Uint32Array {
  const { columns, positions } = layer.weights;
  if (layer.kind === 'dense') return Uint32Array.from({ length: columns }, (_, k) => k);
  const { size, from, to } = layer;
  return Uint32Array.from({ length: positions * columns }, (_, at) => {
    const [p, k] = [Math.floor(at / columns), at % columns];
    const [channel, tap] = [Math.floor(k / (size * size)), k % (size * size)];
    const y = Math.floor(p / to.width) + Math.floor(tap / size);
    const x = (p % to.width) + (tap % size);
    return (channel * from.height + y) * from.width + x;
  });
}
