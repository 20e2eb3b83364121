import { DataError } from '../data-error.ts';
import type { Network, PixelScale } from '../network/network.ts';
import { imageValues, plainValues, type ValueShape } from '../network/network-plan.ts';
import type { ScaledColumn } from '../numeric/project-rows.ts';
import type { ImageShape } from '../study/study.ts';
import type { Design } from './design.ts';
import { neededImage, refusePartOfImage } from './image-design.ts';
import type { Interval } from './interval.ts';

/** How rows of a design go into a network: the one place for training and predicting, so that both see the same bits. */
export interface NetworkInputs {
  readonly shape: ValueShape;
  /** The columns of the design that go in, by index. */
  readonly columns: readonly number[];
  /** All values of an input, for each channel of the form. */
  readonly intervals: readonly Interval[];
  /** Those columns of evaluated rows with their public units. */
  scaled(values: readonly Float64Array[]): readonly ScaledColumn[];
  /** Writes the inputs of a row: channel by channel, row by row. `given` are the columns with their public units. */
  fill(given: readonly ScaledColumn[], row: number, target: Float32Array, at: number): void;
}

/** The scale of pixels where a network gives none: −1 to 1. */
const USUAL_PIXELS: PixelScale = { mean: 0.5, deviation: 0.5 };

/**
 * The inputs of a network: the columns of a table in their public units, or pixels as (v / 255 − mean) / deviation of their channel.
 * Refuses a network that does not suit the design.
 */
export function networkInputs(design: Design, network: Network): NetworkInputs {
  refuseWithoutConstant(design, network);
  const columns = design.columns.flatMap(({ origin }, index) => (origin === 'term' ? [index] : []));
  const units = columns.map((index) => design.columns[index].publicUnit);
  const scaled = (values: readonly Float64Array[]) =>
    columns.map((index, k) => ({ values: values[index], ...units[k] }));
  if (network.layers.some(({ kind }) => kind === 'convolution' || kind === 'max-pool')) {
    neededImage(design, 'network with convolutions');
  }
  const { image } = design;
  if (image === undefined) {
    const intervals = columns.map((index, k) => {
      const { low, high } = design.columns[index].interval;
      const { center, scale } = units[k];
      return { low: (low - center) / scale, high: (high - center) / scale };
    });
    return { shape: plainValues(columns.length), columns, intervals, scaled, fill: fillPlain };
  }
  refusePartOfImage(image, columns.length, 'network');
  const scales = pixelScales(network, image);
  const intervals = scales.map(({ mean, deviation }) => ({
    low: (0 - mean) / deviation,
    high: (1 - mean) / deviation,
  }));
  return { shape: imageValues(image), columns, intervals, scaled, fill: pixelFill(image, scales) };
}

/** The scale of every channel. */
export function pixelScales({ pixels }: Network, { channels }: ImageShape): PixelScale[] {
  if (pixels === undefined) return Array.from({ length: channels }, () => USUAL_PIXELS);
  if (pixels.length === channels) return [...pixels];
  throw new DataError(
    `the network has scales of ${pixels.length} ${pixels.length === 1 ? 'channel' : 'channels'}, and an image has ${channels}`,
    {},
    'give "pixels" for each channel, or leave it out',
  );
}

/** For each column of an image, the place of its value in the network: columns have the channels within a pixel. */
export function pixelPlaces({ height, width, channels }: ImageShape): Int32Array {
  const pixels = height * width;
  return Int32Array.from(
    { length: pixels * channels },
    (_, k) => (k % channels) * pixels + Math.floor(k / channels),
  );
}

const fillPlain: NetworkInputs['fill'] = (given, row, target, at) => {
  given.forEach(({ values, center, scale }, k) => {
    target[at + k] = (values[row] - center) / scale;
  });
};

function pixelFill(image: ImageShape, scales: readonly PixelScale[]): NetworkInputs['fill'] {
  const places = pixelPlaces(image);
  const { channels } = image;
  return (given, row, target, at) => {
    for (let k = 0; k < places.length; k++) {
      const { mean, deviation } = scales[k % channels];
      target[at + places[k]] = (given[k].values[row] / 255 - mean) / deviation;
    }
  };
}

function refuseWithoutConstant({ intercept }: Design, { bias = true }: Network): void {
  if (intercept || !bias) return;
  throw new DataError(
    'the network has biases, and the formula has no constant',
    {},
    'leave "0 +" out of the formula, or set "bias" of the network to false',
  );
}
