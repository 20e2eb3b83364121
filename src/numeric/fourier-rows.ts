import { cosineAndSine } from './cosine.ts';
import { reproducibleKernels } from './kernels.ts';
import { passProjector, type RowProjector, rowProjectorTwin } from './project-rows.ts';

/**
 * For each bandwidth b the columns size·cos(ω·x/b), then size·sin(ω·x/b), over the columns ω of a row-major `inner` ×
 * `frequencies` matrix. The sums ω·x are those of `rowProjector`; they are multiplied by 1/b, rounded once.
 */
export function fourierRows(
  matrix: Float64Array,
  inner: number,
  frequencies: number,
  bandwidths: readonly number[],
  size: number,
): RowProjector {
  const kernels = reproducibleKernels();
  const project = passProjector(kernels, matrix, inner, frequencies);
  let room = 0;
  let cosines = 0;
  let sines = 0;
  return (columns, rows, target) => {
    project(columns, rows, ({ pointer, stride, first, count }) => {
      if (room < stride) {
        room = stride;
        cosines = kernels.allocate(8 * room);
        sines = kernels.allocate(8 * room);
      }
      const cosine = kernels.f64(cosines, count);
      const sine = kernels.f64(sines, count);
      bandwidths.forEach((bandwidth, b) => {
        for (let j = 0; j < frequencies; j++) {
          const sums = pointer + 8 * stride * j;
          kernels.call.fillCosines(sums, count, 1 / bandwidth, size, cosines, sines);
          target[2 * b * frequencies + j].set(cosine, first);
          target[(2 * b + 1) * frequencies + j].set(sine, first);
        }
      });
    });
  };
}

/** What `fourierRows` computes, number by number. */
export function fourierRowsTwin(
  matrix: Float64Array,
  inner: number,
  frequencies: number,
  bandwidths: readonly number[],
  size: number,
): RowProjector {
  const project = rowProjectorTwin(matrix, inner, frequencies);
  return (columns, rows, target) => {
    const sums = Array.from({ length: frequencies }, () => new Float64Array(rows));
    project(columns, rows, sums);
    bandwidths.forEach((bandwidth, b) => {
      sums.forEach((values, j) => {
        for (let r = 0; r < rows; r++) {
          const [cosine, sine] = cosineAndSine(values[r] * (1 / bandwidth));
          target[2 * b * frequencies + j][r] = size * cosine;
          target[(2 * b + 1) * frequencies + j][r] = size * sine;
        }
      });
    });
  };
}
