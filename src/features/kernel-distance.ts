import type { CovarianceKernel } from './covariance-kernels.ts';
import type { MapWriter } from './map-writer.ts';

/** The distance that a kernel takes between two rows: differences are added in order. */
export function kernelDistance({
  distance,
}: CovarianceKernel): (a: Float64Array, b: Float64Array) => number {
  if (distance === 'absolute') {
    return (a, b) => {
      let sum = 0;
      for (let i = 0; i < a.length; i++) sum += Math.abs(a[i] - b[i]);
      return sum;
    };
  }
  return (a, b) => {
    let sum = 0;
    for (let i = 0; i < a.length; i++) {
      const apart = a[i] - b[i];
      sum += apart * apart;
    }
    return Math.sqrt(sum);
  };
}

/** For other programs: the distances of every row from some rows, a column for each. */
export function writeDistances<Matrix>(
  { inputs, affine, call, multiply }: MapWriter<Matrix>,
  { distance }: CovarianceKernel,
  rows: readonly Float64Array[],
): Matrix {
  const { length } = rows[0];
  const width = length * rows.length;
  const copies = new Float64Array(length * width);
  const away = new Float64Array(width);
  const sums = new Float64Array(width * rows.length);
  rows.forEach((row, k) => {
    row.forEach((value, i) => {
      const at = k * length + i;
      copies[i * width + at] = 1;
      away[at] = -value;
      sums[at * rows.length + k] = 1;
    });
  });
  const apart = affine(inputs, copies, away);
  if (distance === 'absolute') return affine(call('abs', apart), sums);
  return call('sqrt', affine(multiply(apart, apart), sums));
}
