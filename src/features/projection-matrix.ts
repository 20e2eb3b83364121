import type { RowProjector } from '../numeric/project-rows.ts';

/** What a projection's matrix is drawn from: its number of columns, and a public seed (32 bits). */
export interface MatrixSize {
  readonly dimension: number;
  readonly seed: number;
}

/**
 * One way to draw R, `columns` × `dimension`, from a public seed: the same bits on every platform, the expectation of RRᵀ is I,
 * and the columns of a smaller dimension are the first of a larger one, up to a factor. An entry of `projection.ts`.
 */
export interface ProjectionMatrix {
  /** What stands before "random projections" in a sentence: `sparse`, or nothing. */
  readonly adjective: string;
  /** Its name: `sparse projection`. */
  readonly title: string;
  /** Products and sums that a row takes. */
  work(columns: number, dimension: number): { readonly products: number; readonly sums: number };
  /** R, row-major. */
  draw(columns: number, size: MatrixSize): Float64Array;
  /** Rows times R, each value rounded in a fixed order; `matrix` is what `draw` gave. */
  projector(columns: number, size: MatrixSize, matrix: Float64Array): RowProjector;
}
