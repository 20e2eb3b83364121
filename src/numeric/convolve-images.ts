import { reproducibleKernels } from './kernels.ts';
import type { ScaledColumn } from './project-rows.ts';

/** Filters over images, and how their answers are pooled. All numbers are float32. */
export interface Convolution {
  readonly height: number;
  readonly width: number;
  readonly channels: number;
  /** Public mean and standard deviation of a channel, in the unit of the columns. */
  readonly normal: readonly { readonly mean: number; readonly deviation: number }[];
  /** Side of a filter. */
  readonly size: number;
  /** Filter → channel → row → column. */
  readonly weights: Float32Array;
  /** One for each filter. */
  readonly thresholds: Float32Array;
  /** Windows in each direction. */
  readonly pooling: number;
  /** Added to the mean of |c|, so that an image without contrast has features near 0. */
  readonly floor: number;
  /** Largest feature; larger ones are cut off. */
  readonly cap: number;
}

/** target[j][r] = feature j of image r, for the first `rows` rows; columns are pixels row by row, channels within a pixel. */
export type ImageConvolver = (
  columns: readonly ScaledColumn[],
  rows: number,
  target: readonly Float64Array[],
) => void;

/** Number of features. */
export function convolvedWidth(filters: number, pooling: number): number {
  return 2 * filters * pooling * pooling;
}

/** The positions of each window among `length`; they may overlap. */
export function poolingWindows(
  length: number,
  pooling: number,
): readonly { readonly from: number; readonly to: number }[] {
  return Array.from({ length: pooling }, (_, i) => ({
    from: Math.floor((i * length) / pooling),
    to: Math.ceil(((i + 1) * length) / pooling),
  }));
}

/** Images of a pass: their pixels and features stay in the cache while they change place. */
const PASS_VALUES = 2 ** 16;
const MOST_IMAGES = 64;

/**
 * Features of images. With c = the answers of all filters at all positions, m = mean |c| of the image and b a filter's
 * threshold, a feature is the mean of max(c/m − b, 0), or of max(−c/m − b, 0), over a window. The build without fused
 * operations is used, so the bits are the same everywhere and however rows are cut.
 */
export function imageConvolver(convolution: Convolution): ImageConvolver {
  const { height, width, channels, size, weights, thresholds, pooling, floor, cap } = convolution;
  const kernels = reproducibleKernels();
  const filters = thresholds.length;
  const groups = Math.ceil(filters / 4);
  const taps = channels * size * size;
  const wide = width - size + 1;
  const stride = 8 * Math.ceil(((height - size + 1) * wide) / 8);
  const values = channels * height * width;
  const made = convolvedWidth(filters, pooling);
  const pass = Math.max(1, Math.min(MOST_IMAGES, Math.floor(PASS_VALUES / Math.max(values, made))));
  const floats = (count: number) => kernels.allocate(4 * count + 64);
  const at = {
    images: floats(pass * values),
    filters: floats(4 * groups * taps),
    thresholds: floats(filters),
    patches: floats(taps * stride),
    maps: floats(4 * groups * stride),
    lines: floats(2 * wide),
    features: floats(pass * made),
  };
  const view = (pointer: number, length: number) =>
    new Float32Array(kernels.memory.buffer, pointer, length);
  const packed = view(at.filters, 4 * groups * taps).fill(0);
  weights.forEach((weight, k) => {
    const filter = Math.floor(k / taps);
    packed[((filter >> 2) * taps + (k % taps)) * 4 + (filter & 3)] = weight;
  });
  view(at.thresholds, filters).set(thresholds);
  const images = view(at.images, pass * values);
  const features = view(at.features, pass * made);

  return (columns, rows, target) => {
    for (let first = 0; first < rows; first += pass) {
      const count = Math.min(pass, rows - first);
      columns.forEach((column, k) => {
        const place = placeOf(convolution, k);
        const { mean, deviation } = convolution.normal[k % channels];
        const { values: cells, center, scale } = column;
        for (let n = 0; n < count; n++) {
          images[n * values + place] = ((cells[first + n] - center) / scale - mean) / deviation;
        }
      });
      kernels.call.convolveImages(
        ...[at.images, count, channels, height, width, at.filters, filters, size, at.thresholds],
        ...[pooling, floor, cap, at.patches, at.maps, at.lines, at.features],
      );
      for (let j = 0; j < made; j++) {
        const column = target[j];
        for (let n = 0; n < count; n++) column[first + n] = features[n * made + j];
      }
    }
  };
}

/** Where the value of column k stands in an image that is ordered channel → row → column. */
function placeOf({ height, width, channels }: Convolution, k: number): number {
  return (k % channels) * height * width + Math.floor(k / channels);
}

/** What `imageConvolver` computes, number by number: its specification. */
export function imageConvolverTwin(convolution: Convolution): ImageConvolver {
  const { height, width, channels, size, weights, thresholds, pooling, floor, cap } = convolution;
  const { fround } = Math;
  const [tall, wide] = [height - size + 1, width - size + 1];
  const positions = tall * wide;
  const taps = channels * size * size;
  const filters = thresholds.length;

  const answers = (image: Float32Array, filter: number) =>
    Float32Array.from({ length: positions }, (_, p) => {
      const corner = Math.floor(p / wide) * width + (p % wide);
      let sum = 0;
      for (let t = 0; t < taps; t++) {
        const [channel, inside] = [Math.floor(t / (size * size)), t % (size * size)];
        const pixel = corner + Math.floor(inside / size) * width + (inside % size);
        const value = image[channel * height * width + pixel];
        sum = fround(sum + fround(weights[filter * taps + t] * value));
      }
      return sum;
    });
  const absoluteSum = (map: Float32Array) => {
    const sums = [0, 0, 0, 0];
    map.forEach((c, p) => {
      sums[p % 4] = fround(sums[p % 4] + Math.abs(c));
    });
    return sums.reduce((sum, one) => fround(sum + one));
  };
  const windows = (length: number) => poolingWindows(length, pooling);
  const pooled = (map: Float32Array, sign: 1 | -1, threshold: number, mean: number) =>
    windows(tall).flatMap((down) =>
      windows(wide).map((across) => {
        let sum = 0;
        for (let x = across.from; x < across.to; x++) {
          let line = 0;
          for (let y = down.from; y < down.to; y++) {
            line = fround(line + Math.max(fround(sign * map[y * wide + x] - threshold), 0));
          }
          sum = fround(sum + line);
        }
        const cells = (down.to - down.from) * (across.to - across.from);
        return Math.min(fround(sum / fround(mean * cells)), cap);
      }),
    );

  return (columns, rows, target) => {
    for (let r = 0; r < rows; r++) {
      const image = new Float32Array(columns.length);
      columns.forEach(({ values, center, scale }, k) => {
        const { mean, deviation } = convolution.normal[k % channels];
        image[placeOf(convolution, k)] = ((values[r] - center) / scale - mean) / deviation;
      });
      const maps = Array.from({ length: filters }, (_, filter) => answers(image, filter));
      const total = maps.reduce((sum, map) => sum + absoluteSum(map), 0);
      const mean = fround(total / (filters * positions) + floor);
      const row = maps.flatMap((map, filter) => {
        const threshold = fround(thresholds[filter] * mean);
        return [...pooled(map, 1, threshold, mean), ...pooled(map, -1, threshold, mean)];
      });
      row.forEach((value, j) => {
        target[j][r] = value;
      });
    }
  };
}
