import { hadamardEntry, hadamardRows, hadamardSize } from '../numeric/hadamard-rows.ts';
import { uniformBelow } from '../random/words.ts';
import { columnWords } from './column-normals.ts';
import type { MatrixSize, ProjectionMatrix } from './projection-matrix.ts';

/**
 * Columns of a Hadamard matrix H, drawn without repetition, and a random sign for each of its rows: entries ±1/√dimension
 * (the subsampled randomized Hadamard transform of Ailon & Chazelle 2009). H has the next power of two of d rows; those below
 * row d meet no input column.
 */
export const hadamardMatrix: ProjectionMatrix = {
  adjective: 'Hadamard',
  title: 'Hadamard projection',
  work(columns, dimension) {
    const size = hadamardSize(columns);
    return { products: dimension, sums: size * Math.log2(size) };
  },
  draw(columns, size) {
    const { dimension } = size;
    const matrix = new Float64Array(columns * dimension);
    const unit = 1 / Math.sqrt(dimension);
    const { signs, chosen } = drawOf(columns, size);
    for (let i = 0; i < columns; i++) {
      const own = signs[i] * unit;
      chosen.forEach((column, j) => {
        matrix[i * dimension + j] = own * hadamardEntry(i, column);
      });
    }
    return matrix;
  },
  projector(columns, size) {
    const { signs, chosen } = drawOf(columns, size);
    return hadamardRows(signs, chosen, 1 / Math.sqrt(size.dimension));
  },
};

function drawOf(columns: number, { dimension, seed }: MatrixSize) {
  const flip = columnWords('hadamard projection', seed, 'signs');
  const signs = Array.from({ length: columns }, () => (flip() >= 2 ** 31 ? -1 : 1));
  const next = columnWords('hadamard projection', seed, 'columns');
  const size = hadamardSize(columns);
  const order = Int32Array.from({ length: size }, (_, i) => i);
  const chosen = Array.from({ length: dimension }, (_, k) => {
    const other = k + Number(uniformBelow(BigInt(size - k), next)());
    const column = order[other];
    order[other] = order[k];
    order[k] = column;
    return column;
  });
  return { signs, chosen };
}
