import type * as zod from 'zod';
import { typedAs } from '../study/same-json.ts';
import type { Zod } from '../study/zod.ts';

/**
 * A sequential network without its last layer: that one is dense, has an output for each class (or response) and follows from
 * the study.
 */
export interface Network {
  readonly layers: readonly NetworkLayer[];
  /** Whether dense and convolutional layers, the last one included, have biases; they have unless given. */
  readonly bias?: boolean;
  /** Mean and deviation of a pixel between 0 and 1, for each channel; images are scaled by them. 0.5 and 0.5 unless given. */
  readonly pixels?: readonly PixelScale[];
}

/** The scale of one channel: (pixel / 255 − mean) / deviation. */
export interface PixelScale {
  readonly mean: number;
  readonly deviation: number;
}

/** A layer of a network. Images are flattened before the first dense layer, channel by channel and row by row. */
export type NetworkLayer = DenseLayer | ConvolutionLayer | PoolLayer | ReluLayer;

/** Every output is a weighted sum of all inputs. */
export interface DenseLayer {
  readonly kind: 'dense';
  readonly units: number;
}

/** Every output is a weighted sum of a window, with a step of one pixel. */
export interface ConvolutionLayer {
  readonly kind: 'convolution';
  readonly channels: number;
  /** Side of the window in pixels. */
  readonly size: number;
  /** Rows and columns of zeros around the image; 0 unless given. */
  readonly padding?: number;
}

/** The largest value of every window; windows do not overlap, and what is left at the edge is dropped. */
export interface PoolLayer {
  readonly kind: 'max-pool';
  /** Side of the window in pixels. */
  readonly size: number;
}

/** Negative values become 0. */
export interface ReluLayer {
  readonly kind: 'relu';
}

const MOST_LAYERS = 40;

/** Largest numbers of a layer. */
export const layerLimits = { units: 8192, channels: 1024, size: 32, padding: 16 } as const;

function shape(z: Zod) {
  return z.strictObject({
    layers: z
      .array(
        z.discriminatedUnion('kind', [
          z.strictObject({
            kind: z.literal('dense'),
            units: z.int().min(1).max(layerLimits.units),
          }),
          z.strictObject({
            kind: z.literal('convolution'),
            channels: z.int().min(1).max(layerLimits.channels),
            size: z.int().min(1).max(layerLimits.size),
            padding: z.int().min(0).max(layerLimits.padding).optional(),
          }),
          z.strictObject({
            kind: z.literal('max-pool'),
            size: z.int().min(2).max(layerLimits.size),
          }),
          z.strictObject({ kind: z.literal('relu') }),
        ]),
      )
      .max(MOST_LAYERS),
    bias: z.boolean().optional(),
    pixels: z
      .array(z.strictObject({ mean: z.number(), deviation: z.number().positive() }))
      .min(1)
      .max(3)
      .optional(),
  });
}
/** The JSON of a network. */
export function networkSchema(z: Zod): zod.ZodType<Network> {
  return typedAs<Network>()(shape(z), 'same');
}
