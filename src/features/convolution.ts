import type { Convolution } from '../numeric/convolve-images.ts';
import { normals } from '../random/normals.ts';
import type { ImageShape } from '../study/study.ts';
import { columnWords } from './column-normals.ts';

/** Random filters that everyone can draw from a public seed (32 bits). */
export interface RandomFilters {
  readonly filters: number;
  /** Side of a filter in pixels. */
  readonly size: number;
  readonly pooling: number;
  readonly seed: number;
}

/** Largest feature: the mean of |c| of an image is 1, so few windows have a mean above 4. */
export const CAP = 8;

/** A quarter of one grey level in 256: contrast below this counts as none. */
const FLOOR = 2 ** -10;
const LARGEST_THRESHOLD = 0.9;

/** Grey values stay: filters of mean 0 do not see a shift, nor the features a factor. Colours as usual for photographs (ImageNet). */
const NORMAL: Readonly<Record<ImageShape['channels'], Convolution['normal']>> = {
  1: [{ mean: 0, deviation: 1 }],
  3: [
    { mean: 0.485, deviation: 0.229 },
    { mean: 0.456, deviation: 0.224 },
    { mean: 0.406, deviation: 0.225 },
  ],
};

/**
 * Filters with normal weights, smoothed where images are grey, minus their mean, of length 1; thresholds uniform on [0, 0.9).
 * Filter f comes from (seed, f) alone, so fewer filters are the first of more. The same bits on every platform.
 */
export function randomConvolution(image: ImageShape, terms: RandomFilters): Convolution {
  const { height, width, channels } = image;
  const { filters, size, pooling, seed } = terms;
  const taps = channels * size * size;
  const weights = new Float32Array(filters * taps);
  const thresholds = new Float32Array(filters);
  for (let filter = 0; filter < filters; filter++) {
    const words = columnWords('convolution', seed, filter);
    thresholds[filter] = (LARGEST_THRESHOLD * words()) / 2 ** 32;
    const drawn = Float64Array.from({ length: taps }, normals(words));
    weights.set(contrast(channels === 1 ? smooth(drawn, size) : drawn), filter * taps);
  }
  return {
    ...{ height, width, channels, size, pooling, weights, thresholds },
    ...{ normal: NORMAL[channels], floor: FLOOR, cap: CAP },
  };
}

/** Each weight and its neighbours as ¼, ½, ¼, first along the rows, then along the columns; 0 beyond the edge. */
function smooth(weights: Float64Array, size: number): Float64Array {
  const along = (line: Float64Array, step: number, at: (k: number) => number) =>
    line.map((weight, k) => {
      const before = at(k) > 0 ? line[k - step] : 0;
      const behind = at(k) < size - 1 ? line[k + step] : 0;
      return 0.5 * weight + 0.25 * (before + behind);
    });
  const rows = along(weights, 1, (k) => k % size);
  return along(rows, size, (k) => Math.floor(k / size));
}

/** Minus its mean, and of length 1. */
function contrast(weights: Float64Array): Float64Array {
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length;
  const centred = weights.map((weight) => weight - mean);
  const length = Math.sqrt(centred.reduce((sum, weight) => sum + weight * weight, 0));
  return centred.map((weight) => weight / length);
}
