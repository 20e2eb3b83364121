import { packedLength } from '../numeric/gram.ts';

/** The upper triangle of a symmetric row-major matrix, row by row. */
export function packedTriangle(matrix: Float64Array, width: number): Float64Array {
  const packed = new Float64Array(packedLength(width));
  let at = 0;
  for (let i = 0; i < width; i++) {
    packed.set(matrix.subarray(i * width + i, (i + 1) * width), at);
    at += width - i;
  }
  return packed;
}
