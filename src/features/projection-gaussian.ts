import { rowProjector } from '../numeric/project-rows.ts';
import { columnNormals } from './column-normals.ts';
import type { ProjectionMatrix } from './projection-matrix.ts';

/**
 * Entries N(0, 1/dimension) (one-shot ridge paper, §IV-F). Entry (i, j) is the (i + 1)-th normal of a stream from (seed, j)
 * alone, so fewer input columns give its upper rows.
 */
export const gaussianMatrix: ProjectionMatrix = {
  adjective: '',
  title: 'Gaussian projection',
  work: (columns, dimension) => ({ products: columns * dimension, sums: 0 }),
  draw(columns, { dimension, seed }) {
    const matrix = new Float64Array(columns * dimension);
    const unit = Math.sqrt(dimension);
    for (let j = 0; j < dimension; j++) {
      const next = columnNormals('projection', seed, j);
      for (let i = 0; i < columns; i++) matrix[i * dimension + j] = next() / unit;
    }
    return matrix;
  },
  projector: (columns, { dimension }, matrix) => rowProjector(matrix, columns, dimension),
};
