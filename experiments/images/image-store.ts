import { nodeHost } from '../../src/node/compute/host.ts';
import { openSource, readerOf } from '../../src/rows/sources.ts';
import { CLASS_COLUMN, pixelNames, valuesOf } from '../../src/study/image-study.ts';
import type { ImageShape } from '../../src/study/study.ts';
import type { Block } from '../../src/table/columns.ts';
import type { ImageSet } from './image-sets.ts';

/** Images in memory, a byte a value. */
export interface StoredImages {
  readonly shape: ImageShape;
  readonly count: number;
  readonly labels: Uint8Array;
  /** The values of an image: row by row, and within a pixel channel by channel. */
  pixels(row: number): Uint8Array;
  /** Rows of the table that a site has: the class, then the pixels. */
  block(from: number, to: number): Block;
}

/** Reads a part of a data set; of `most` images each is as far from the next, because some files are sorted by class. */
export async function storedImages(
  { parts, images }: Pick<ImageSet, 'parts' | 'images'>,
  part: keyof ImageSet['parts'],
  most: number,
): Promise<StoredImages> {
  const names = [CLASS_COLUMN, ...pixelNames(images)];
  const source = await openSource(
    nodeHost,
    { path: parts[part] },
    names,
    undefined,
    undefined,
    images,
  );
  const size = valuesOf(images);
  const values: Uint8Array[] = [];
  const labels: number[] = [];
  const columns = names.map((name) => ({
    name,
    column:
      name === CLASS_COLUMN
        ? ({ type: 'category', levels: images.classes, missing: [] } as const)
        : ({ type: 'number', missing: [] } as const),
  }));
  const total = (source as unknown as { readonly count: number }).count;
  const step = Math.max(1, Math.floor(total / most));
  await readerOf(nodeHost, source).read(
    { files: nodeHost, source, progress: () => {} },
    columns,
    ({ rows, columns: [classes, ...cells] }, firstRow) => {
      for (let r = 0; r < rows; r++) {
        if ((firstRow - 1 + r) % step !== 0 || labels.length >= most) continue;
        labels.push(classes![r]!);
        values.push(Uint8Array.from({ length: size }, (_, k) => cells[k]![r]!));
      }
    },
  );
  return {
    shape: images,
    count: labels.length,
    labels: Uint8Array.from(labels),
    pixels: (row) => values[row]!,
    block: (from, to) => imageBlock(labels, (row) => values[row]!, from, to, size),
  };
}

/** The class and the pixels of some images as columns. */
export function imageBlock(
  labels: ArrayLike<number>,
  values: (row: number) => Uint8Array,
  from: number,
  to: number,
  size: number,
): Block {
  const rows = to - from;
  const columns = Array.from({ length: size + 1 }, () => new Float64Array(rows));
  for (let r = 0; r < rows; r++) {
    columns[0]![r] = labels[from + r]!;
    const own = values(from + r);
    for (let k = 0; k < size; k++) columns[k + 1]![r] = own[k]!;
  }
  return { rows, columns, complete: true };
}
