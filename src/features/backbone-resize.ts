import type { Kernels } from '../numeric/kernels.ts';
import type { ImageShape } from '../study/study.ts';

/** One entry of a table: byte offsets of two neighbours, and the weight of the second. */
const ENTRY_BYTES = 12;

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
    for (let k = 0; k < size; k++) {
      const first = Math.floor((k * length) / size);
      view.setUint32(ENTRY_BYTES * k, first * step, true);
      view.setUint32(ENTRY_BYTES * k + 4, Math.min(first + 1, length - 1) * step, true);
      view.setFloat32(ENTRY_BYTES * k + 8, ((k * length) % size) / size, true);
    }
    return pointer;
  };
  return { rows: table(height, 4 * width * channels), columns: table(width, 4 * channels) };
}
