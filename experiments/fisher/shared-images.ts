import type { Examples } from '../../src/network/examples.ts';
import type { PixelScale } from '../../src/network/network.ts';
import type { ImageShape } from '../../src/study/study.ts';
import { imageBlock, type StoredImages } from '../images/image-store.ts';

/** Images that all threads see, channel by channel and row by row, a byte a value. */
export interface SharedImages {
  readonly shape: ImageShape;
  readonly count: number;
  readonly pixels: Uint8Array;
  readonly labels: Uint8Array;
}

/** Images in shared memory, where every thread can read them. */
export function sharedImages(images: StoredImages): SharedImages {
  const { shape, count } = images;
  const { channels } = shape;
  const area = shape.height * shape.width;
  const pixels = new Uint8Array(new SharedArrayBuffer(count * area * channels));
  const labels = new Uint8Array(new SharedArrayBuffer(count));
  labels.set(images.labels);
  for (let row = 0; row < count; row++) {
    const own = images.pixels(row);
    const at = row * area * channels;
    for (let c = 0; c < channels; c++) {
      for (let k = 0; k < area; k++) pixels[at + c * area + k] = own[k * channels + c]!;
    }
  }
  return { shape: { height: shape.height, width: shape.width, channels }, count, pixels, labels };
}

/** The same images as the ridge experiments read them. */
export function storedFrom({ shape, count, pixels, labels }: SharedImages): StoredImages {
  const { channels } = shape;
  const area = shape.height * shape.width;
  const size = area * channels;
  const together = (row: number) => {
    const own = pixels.subarray(row * size, (row + 1) * size);
    if (channels === 1) return own;
    return Uint8Array.from(own, (_, k) => own[(k % channels) * area + Math.floor(k / channels)]!);
  };
  return {
    shape,
    count,
    labels,
    pixels: together,
    block: (from, to) => imageBlock(labels, together, from, to, size),
  };
}

/** Some rows of the images as examples for a network, in its scale of pixels. */
export function imageExamples(
  images: SharedImages,
  rows: Uint32Array,
  scales: readonly PixelScale[],
): Examples {
  const { shape, pixels, labels } = images;
  const area = shape.height * shape.width;
  const size = area * shape.channels;
  const tables = scaleTables(scales);
  return {
    rows: rows.length,
    fill(target, at, row) {
      const from = rows[row]! * size;
      for (let k = 0; k < size; k++) {
        target[at + k] = tables[Math.floor(k / area)]![pixels[from + k]!]!;
      }
    },
    answers: { kind: 'classes', classes: Uint8Array.from(rows, (row) => labels[row]!) },
  };
}

/** What each value of a pixel becomes, for each channel. */
export function scaleTables(scales: readonly PixelScale[]): Float32Array[] {
  return scales.map(({ mean, deviation }) =>
    Float32Array.from({ length: 256 }, (_, value) => (value / 255 - mean) / deviation),
  );
}

/** All rows. */
export function everyRow({ count }: SharedImages): Uint32Array {
  return Uint32Array.from({ length: count }, (_, row) => row);
}
