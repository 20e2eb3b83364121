import type { Kernels } from '../numeric/kernels.ts';
import type { ImageShape } from '../study/study.ts';

/** One entry of a table: byte offsets of two neighbours, and the weight of the second. */
const ENTRY_BYTES = 12;

/** The two neighbours of an output among `length` inputs, and the weight of the second. */
interface Neighbours {
  readonly first: number;
  readonly second: number;
  readonly weight: number;
}

function neighbours(length: number, size: number): Neighbours[] {
  return Array.from({ length: size }, (_, k) => {
    const first = Math.floor((k * length) / size);
    return {
      first,
      second: Math.min(first + 1, length - 1),
      weight: ((k * length) % size) / size,
    };
  });
}

/** The weights of `length` inputs in each of `size` outputs, a line for each output. */
export function resizeMatrix(length: number, size: number): Float32Array {
  const matrix = new Float32Array(size * length);
  neighbours(length, size).forEach(({ first, second, weight }, k) => {
    matrix[k * length + first] += 1 - weight;
    matrix[k * length + second] += weight;
  });
  return matrix;
}

/**
 * Tables of a bilinear resize to `size` × `size`, in kernel memory: output k lies at k·length/size of the input. The whole part
 * is exact, and the weight is rounded once.
 */
export function resizeTables(
  kernels: Kernels,
  { height, width, channels }: ImageShape,
  size: number,
): { readonly rows: number; readonly columns: number } {
  const table = (length: number, step: number): number => {
    const pointer = kernels.allocate(ENTRY_BYTES * size);
    const view = new DataView(kernels.memory.buffer, pointer, ENTRY_BYTES * size);
    neighbours(length, size).forEach(({ first, second, weight }, k) => {
      view.setUint32(ENTRY_BYTES * k, first * step, true);
      view.setUint32(ENTRY_BYTES * k + 4, second * step, true);
      view.setFloat32(ENTRY_BYTES * k + 8, weight, true);
    });
    return pointer;
  };
  return { rows: table(height, 4 * width * channels), columns: table(width, 4 * channels) };
}
