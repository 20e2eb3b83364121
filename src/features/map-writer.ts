import type { ImageWriter } from './image-writer.ts';
import type { PublicUnit } from './public-unit.ts';

/** Functions of one number that a feature map may use: `relu` is max(0, v), `step` is 1 where v > 0, else 0. */
export type MapFunction = 'abs' | 'cos' | 'exp' | 'relu' | 'sin' | 'sqrt' | 'step';

/**
 * How another program writes the arithmetic of a feature map: operations on matrices with a row for each row of data. A map
 * describes itself by calling them (`MadeColumns.write`), so every exporter can write every map.
 */
export interface MapWriter<Matrix> {
  /** The mapped columns of the formula in their public units, (v − center) / scale. */
  readonly inputs: Matrix;
  /** of·matrix + constant: `matrix` is row-major, a row for each column of `of`; one constant for each new column. */
  affine(of: Matrix, matrix: Float64Array, constant?: Float64Array): Matrix;
  /** The function of every entry. */
  call(name: MapFunction, of: Matrix): Matrix;
  /** Every entry times a number. */
  scale(of: Matrix, factor: number): Matrix;
  /** Every column in its unit, (v − center) / scale. */
  standardise(of: Matrix, units: readonly PublicUnit[]): Matrix;
  /** Entry by entry; both have the same columns. */
  add(left: Matrix, right: Matrix): Matrix;
  multiply(left: Matrix, right: Matrix): Matrix;
  /** The columns of all, in order. */
  beside(parts: readonly Matrix[]): Matrix;
  /** Operations on images. Throws DataError in a language that has none. */
  images(): ImageWriter<Matrix>;
}
