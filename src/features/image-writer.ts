import type { PublicUnit } from './public-unit.ts';

/** Images of one form in another program, in single precision: [N, channels, height, width]. */
export interface WrittenImages {
  /** What the program calls them. */
  readonly name: string;
  readonly channels: number;
  readonly height: number;
  readonly width: number;
}

/** Filters over images. Unless given, the stride is 1, and there is one group, no padding and no bias. */
export interface WrittenFilters {
  /** Side of a filter. */
  readonly size: number;
  /** Filter → channel → row → column. */
  readonly weights: Float32Array;
  /** One for each filter. */
  readonly biases?: Float32Array;
  readonly stride?: number;
  /** Rows and columns of zeros before and behind the image. */
  readonly padding?: readonly [before: number, behind: number];
  /** Channels and filters fall into as many equal parts; a filter sees the channels of its part. */
  readonly groups?: number;
}

/** How another program writes operations on images; the part of a `MapWriter` that a language may lack. */
export interface ImageWriter<Matrix> {
  /** Columns as images: pixels row by row, channels within a pixel, each as (v − center) / scale of its channel. */
  read(of: Matrix, form: Omit<WrittenImages, 'name'>, units: readonly PublicUnit[]): WrittenImages;
  convolve(of: WrittenImages, filters: WrittenFilters): WrittenImages;
  /** The largest value of every window of this side, one beside the other; what is left at the edge is dropped. */
  maxPool(of: WrittenImages, size: number): WrittenImages;
  /** rows·M·columnsᵀ for every channel M. Both are row-major: a line for each new row, or column, of weights of the old ones. */
  resample(of: WrittenImages, rows: Float32Array, columns: Float32Array): WrittenImages;
  /** Every value within these bounds; without an upper bound unless given. */
  clip(of: WrittenImages, low: number, high?: number): WrittenImages;
  abs(of: WrittenImages): WrittenImages;
  /** Every value plus a number. */
  shift(of: WrittenImages, by: number): WrittenImages;
  /** Every value times a number. */
  scale(of: WrittenImages, factor: number): WrittenImages;
  add(left: WrittenImages, right: WrittenImages): WrittenImages;
  /** Value by value; `right` may have one value a channel, or one an image. */
  multiply(left: WrittenImages, right: WrittenImages): WrittenImages;
  divide(left: WrittenImages, right: WrittenImages): WrittenImages;
  /** The mean of each channel. */
  channelMeans(of: WrittenImages): WrittenImages;
  /** The mean of all values of an image. */
  mean(of: WrittenImages): WrittenImages;
  /** The channels of all, in order. */
  beside(parts: readonly WrittenImages[]): WrittenImages;
  /** The values of images as columns: channel by channel, row by row. */
  columns(of: WrittenImages): Matrix;
}
