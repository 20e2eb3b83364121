import type { Design } from '../../src/features/design.ts';
import type { StoredImages } from './image-store.ts';

/** The rows z of all images: the columns of a design, one after another. */
export interface MappedImages {
  readonly columns: readonly (Float32Array | Float64Array)[];
}

/** Images that are mapped together. */
export const BATCH = 256;

/** Maps images once, so that every partition of them adds the same numbers; yields the share done. */
export function* mappedImages(
  design: Design,
  images: StoredImages,
): Generator<number, MappedImages, void> {
  const { count } = images;
  const block = design.columns.map(() => new Float64Array(BATCH));
  const lo = design.columns.map(() => undefined);
  let columns: (Float32Array | Float64Array)[] = [];
  for (let from = 0; from < count; from += BATCH) {
    const to = Math.min(count, from + BATCH);
    const hi = block.map((values) => values.subarray(0, to - from));
    design.evaluate(images.block(from, to), { file: 'images', rowOf: (r) => from + r + 1 }, hi, lo);
    if (from === 0) {
      const single = hi.every((values) => values.every((value) => Math.fround(value) === value));
      columns = hi.map(() => (single ? new Float32Array(count) : new Float64Array(count)));
    }
    hi.forEach((values, k) => {
      columns[k]!.set(values, from);
      if (columns[k]![from] !== values[0]) throw new RangeError('a map of mixed precision');
    });
    yield to / count;
  }
  return { columns };
}
