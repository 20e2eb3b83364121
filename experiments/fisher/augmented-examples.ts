import type { Examples } from '../../src/network/examples.ts';
import type { PixelScale } from '../../src/network/network.ts';
import { seededWords } from '../../src/random/seeded-words.ts';
import { imageExamples, type SharedImages, scaleTables } from './shared-images.ts';

/** Pixels by which an image moves at most. */
const REACH = 4;

/** The images moved by up to four pixels, with 0 where nothing comes in, and mirrored in half of the cases: anew in every pass. */
export function augmentedExamples(
  images: SharedImages,
  rows: Uint32Array,
  scales: readonly PixelScale[],
  seed: number,
): Examples {
  const { shape, pixels } = images;
  const { height, width, channels } = shape;
  const tables = scaleTables(scales);
  const random = seededWords(seed);
  const below = (bound: number) => Math.floor((random() / 2 ** 32) * bound);
  return {
    ...imageExamples(images, rows, scales),
    fill(target, at, row) {
      const from = rows[row]! * height * width * channels;
      const down = below(2 * REACH + 1) - REACH;
      const right = below(2 * REACH + 1) - REACH;
      const isMirrored = below(2) === 1;
      for (let c = 0; c < channels; c++) {
        for (let y = 0; y < height; y++) {
          const line = from + (c * height + y + down) * width;
          const isInside = y + down >= 0 && y + down < height;
          const out = at + (c * height + y) * width;
          for (let x = 0; x < width; x++) {
            const column = x + right;
            const value =
              isInside && column >= 0 && column < width ? tables[c]![pixels[line + column]!]! : 0;
            target[out + (isMirrored ? width - 1 - x : x)] = value;
          }
        }
      }
    },
  };
}
