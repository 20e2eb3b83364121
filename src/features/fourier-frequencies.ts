import { columnNormals } from './column-normals.ts';
import { type CovarianceKernel, covarianceKernel, type KernelName } from './covariance-kernels.ts';

/** Public frequencies that everyone can draw. */
export interface FourierDraw {
  readonly kernel: KernelName;
  /** Number of frequencies. */
  readonly frequencies: number;
  readonly orthogonal: boolean;
  readonly seed: number;
}

/**
 * Frequencies of bandwidth 1, row-major `columns` × `frequencies`. Frequency j comes from (seed, j) alone, so fewer frequencies
 * are the first of more. Orthogonal ones come in blocks of as many as there are columns, made orthogonal one after the
 * other, with lengths of their own (Yu et al. 2016, §3).
 */
export function fourierFrequencies(columns: number, draw: FourierDraw): Float64Array {
  const { frequencies, orthogonal, seed } = draw;
  const kernel = covarianceKernel(draw.kernel);
  const matrix = new Float64Array(columns * frequencies);
  let block: Float64Array[] = [];
  for (let j = 0; j < frequencies; j++) {
    const next = columnNormals('fourier', seed, j);
    if (block.length === columns) block = [];
    const target = new Float64Array(columns);
    if (orthogonal) orthogonalFrequency(kernel, next, block, target);
    else kernel.frequency(next, next, target);
    target.forEach((value, i) => {
      matrix[i * frequencies + j] = value;
    });
  }
  return matrix;
}

/** A frequency whose direction is orthogonal to those of the block; its direction joins the block. */
function orthogonalFrequency(
  kernel: CovarianceKernel,
  next: () => number,
  block: Float64Array[],
  target: Float64Array,
): void {
  const own = Float64Array.from(target, next);
  // Twice is enough: what rounding leaves after the first time is removed by the second.
  for (let time = 0; time < 2; time++) {
    for (const other of block) {
      const share = dot(own, other);
      other.forEach((value, i) => {
        own[i] -= share * value;
      });
    }
    const length = Math.sqrt(dot(own, own));
    own.forEach((value, i) => {
      own[i] = value / length;
    });
  }
  block.push(own);
  const other = Float64Array.from(target, next);
  const length = Math.sqrt(dot(other, other));
  let at = 0;
  kernel.frequency(next, () => own[at++] * length, target);
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}
