import { holderOf, type Kernels, SCRATCH_BYTES, sharedKernels } from './kernels.ts';

/** Values after the end of a column that a kernel may read, whatever they are. */
const PAST_THE_END = 5;

/**
 * Runs `work` on columns in kernel memory: where they are, if one instance has them all, else on copies of their first `rows`
 * values. `work` gets a pointer to each column and to `space` bytes. It must not allocate: the columns would be lost.
 */
export function inKernel<T>(
  columns: readonly Float64Array[],
  rows: number,
  space: number,
  work: (kernels: Kernels, pointers: readonly number[], space: number) => T,
): T {
  const buffer = columns[0]?.buffer;
  const holder = buffer && space <= SCRATCH_BYTES ? holderOf(buffer) : undefined;
  if (holder !== undefined && columns.every((values) => values.buffer === buffer)) {
    const pointers = columns.map(({ byteOffset }) => byteOffset);
    return work(holder, pointers, holder.scratch);
  }
  const kernels = sharedKernels();
  return kernels.scoped(() => {
    const pointers = columns.map(() => kernels.allocate(8 * (rows + PAST_THE_END)));
    const spare = kernels.allocate(space);
    const numbers = kernels.numbers();
    columns.forEach((values, k) => {
      numbers.set(firstOf(values, rows), pointers[k] / 8);
    });
    return work(kernels, pointers, spare);
  });
}

/** The same for one column. */
export function columnInKernel<T>(
  column: Float64Array,
  rows: number,
  space: number,
  work: (kernels: Kernels, pointer: number, space: number) => T,
): T {
  const holder = holderOf(column.buffer);
  if (holder !== undefined) return work(holder, column.byteOffset, holder.scratch);
  return inKernel([column], rows, space, (kernels, [pointer], spare) =>
    work(kernels, pointer, spare),
  );
}

/** The first values of a column; the column itself, if it has no more. */
export function firstOf(values: Float64Array, rows: number): Float64Array {
  return values.length === rows ? values : values.subarray(0, rows);
}
