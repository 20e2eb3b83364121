import { type RowProjector, rowProjector } from '../numeric/project-rows.ts';
import { columnNormals } from './column-normals.ts';

/** Random units w·x + b of a network's first layer: `weights` is row-major, a column for each unit. */
export interface RandomUnits {
  readonly weights: Float64Array;
  readonly biases: Float64Array;
}

/** Units with normal weights and biases; unit j comes from (layer, seed, j) alone: its bias first, then a weight a column. */
export function randomUnits(
  layer: string,
  columns: number,
  count: number,
  seed: number,
): RandomUnits {
  const weights = new Float64Array(columns * count);
  const biases = new Float64Array(count);
  for (let j = 0; j < count; j++) {
    const next = columnNormals(layer, seed, j);
    biases[j] = next();
    for (let i = 0; i < columns; i++) weights[i * count + j] = next();
  }
  return { weights, biases };
}

/** target[j][r] = wⱼ·x + bⱼ of row r: the sum of products first, in order, then the bias. */
export function unitRows({ weights, biases }: RandomUnits): RowProjector {
  const count = biases.length;
  const project = rowProjector(weights, weights.length / count, count);
  return (columns, rows, target) => {
    project(columns, rows, target);
    biases.forEach((bias, j) => {
      const values = target[j];
      for (let r = 0; r < rows; r++) values[r] += bias;
    });
  };
}
