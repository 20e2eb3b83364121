import type { RowProjector } from '../numeric/project-rows.ts';
import type { ProjectionMatrixName } from '../study/study.ts';
import { gaussianMatrix } from './projection-gaussian.ts';
import { hadamardMatrix } from './projection-hadamard.ts';
import type { MatrixSize, ProjectionMatrix } from './projection-matrix.ts';
import { sparseMatrix } from './projection-sparse.ts';

/** A random projection that everyone can draw; Gaussian unless it says otherwise. */
export interface Projection extends MatrixSize {
  readonly matrix?: ProjectionMatrixName;
}

const matrices: Readonly<Record<ProjectionMatrixName | 'gaussian', ProjectionMatrix>> = {
  gaussian: gaussianMatrix,
  sparse: sparseMatrix,
  hadamard: hadamardMatrix,
};

/** The names of the matrices that a study has to ask for. */
export const matrixNames: readonly ['sparse', 'hadamard'] = ['sparse', 'hadamard'];

/** How the matrix of a projection is drawn. */
export function matrixOf({ matrix }: Pick<Projection, 'matrix'>): ProjectionMatrix {
  return matrices[matrix ?? 'gaussian'];
}

let last: { readonly key: string; readonly matrix: Float64Array } | undefined;

/** R of a random projection, `columns` × `dimension`, row-major. */
export function projectionMatrix(columns: number, projection: Projection): Float64Array {
  const { dimension, seed, matrix: name = '' } = projection;
  const key = `${name}/${columns}/${dimension}/${seed}`;
  if (last?.key === key) return last.matrix; // only the last: it may be large, and one study is used at a time
  const matrix = matrixOf(projection).draw(columns, projection);
  last = { key, matrix };
  return matrix;
}

/** Rows times this matrix. */
export function projectionRows(columns: number, projection: Projection): RowProjector {
  const matrix = projectionMatrix(columns, projection);
  return matrixOf(projection).projector(columns, projection, matrix);
}
