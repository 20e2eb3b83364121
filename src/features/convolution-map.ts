import type * as zod from 'zod';
import { DataError } from '../data-error.ts';
import { convolvedWidth, imageConvolver } from '../numeric/convolve-images.ts';
import { assertSameJson } from '../study/same-json.ts';
import type { ImageShape } from '../study/study.ts';
import type { Zod } from '../study/zod.ts';
import { CAP, type RandomFilters, randomConvolution } from './convolution.ts';
import { writeConvolution } from './convolution-write.ts';
import type { FeatureMap } from './feature-map.ts';
import { neededImage, refusePartOfImage } from './image-design.ts';
import { type MadeColumns, mapDesign } from './map-design.ts';
import type { PublicUnit } from './public-unit.ts';
import { centeredReference, originReference } from './reference.ts';

declare module '../study/study.ts' {
  interface Features {
    readonly convolution: ConvolutionFeature;
  }
}

/**
 * Random convolution features of images: random filters from the seed, the positive and the negative part of their answers,
 * each averaged over `pooling` × `pooling` windows: 2 · pooling² columns a filter.
 */
export interface ConvolutionFeature {
  readonly kind: 'convolution';
  /** Columns with the constant: 18 · filters + 1 with 3 × 3 windows. */
  readonly dimension: number;
  /** Side of a filter in pixels; 7 unless given. */
  readonly size?: number;
  /** Windows in each direction; 3 unless given. */
  readonly pooling?: number;
  /** A 32-bit whole number. */
  readonly seed: number;
}

const CONVOLUTION = 'convolution';
const USUAL_SIZE = 7;
const USUAL_POOLING = 3;
/** The sums of as many take 150 MB at each site. */
const LARGEST_DIMENSION = 5001;

function schema(z: Zod) {
  return z.strictObject({
    kind: z.literal('convolution'),
    dimension: z.int().min(3).max(LARGEST_DIMENSION),
    size: z.int().min(2).max(32).optional(),
    pooling: z.int().min(1).max(50).optional(),
    seed: z
      .int()
      .min(0)
      .max(2 ** 32 - 1),
  });
}
assertSameJson<zod.infer<ReturnType<typeof schema>>, ConvolutionFeature>('same');

/** Columns `convolution1` …: for each filter the windows of the positive part row by row, then those of the negative part. */
export const convolutionMap: FeatureMap<ConvolutionFeature> = {
  kind: 'convolution',
  opaque: true,
  noun: 'convolution',
  verb: 'convolve',
  made: { one: 'random convolution feature', many: 'random convolution features' },
  width: ({ dimension }) => dimension - 1,
  text: ({ dimension }) => `${dimension - 1} random convolution features`,
  choices(terms) {
    const { filters, size, pooling, seed } = filled(terms);
    const count = filters === 1 ? '1 filter' : `${filters} filters`;
    return `${count} of ${size} × ${size} pixels, ${pooling} × ${pooling} windows, seed ${seed}`;
  },
  loss: () => 'what the filters do not see is lost',
  bound: ({ dimension }) => CAP * Math.sqrt(dimension - 1),
  apply(design, terms) {
    const full = filled(terms);
    const image = neededImage(design, 'convolution');
    refuseDimension(terms.dimension, full.pooling);
    refuseSizes(image, full);
    return mapDesign(design, convolutionMap, terms, (columns) => {
      refusePartOfImage(image, columns.length, 'convolution');
      return convolved(image, full, design.intercept);
    });
  },
  schema,
};

function filled(terms: ConvolutionFeature): RandomFilters {
  const { dimension, size = USUAL_SIZE, pooling = USUAL_POOLING, seed } = terms;
  return { filters: (dimension - 1) / convolvedWidth(1, pooling), size, pooling, seed };
}

/** Mean and standard deviation of a feature, about: the mean of |c| of an image is 1. */
const USUAL_UNIT: PublicUnit = { center: 0.35, scale: 0.35 };

function convolved(image: ImageShape, terms: RandomFilters, intercept: boolean): MadeColumns {
  const interval = { low: 0, high: CAP };
  const reference = intercept ? centeredReference(interval) : originReference(interval);
  const publicUnit = intercept ? USUAL_UNIT : { center: 0, scale: 0.5 };
  return {
    term: CONVOLUTION,
    columns: Array.from({ length: convolvedWidth(terms.filters, terms.pooling) }, (_, j) => ({
      ...{ name: `${CONVOLUTION}${j + 1}`, reference, publicUnit, interval },
    })),
    mapper: () => imageConvolver(randomConvolution(image, terms)),
    write: (writer) => writeConvolution(writer, () => randomConvolution(image, terms)),
  };
}

function refuseDimension(dimension: number, pooling: number): void {
  const each = convolvedWidth(1, pooling);
  const below = each * Math.floor((dimension - 1) / each) + 1;
  if (dimension > LARGEST_DIMENSION) {
    throw new DataError(
      `a convolution of dimension ${dimension} is too large`,
      {},
      `choose at most ${LARGEST_DIMENSION}`,
    );
  }
  if (below === dimension && dimension > 1) return;
  const nearest = below > 1 ? `${below} or ${below + each}` : `${each + 1}`;
  throw new DataError(
    `with ${pooling} × ${pooling} windows a filter has ${each} columns, and the constant is one, so ${dimension} is no dimension`,
    {},
    `choose ${nearest}`,
  );
}

function refuseSizes({ height, width }: ImageShape, { size, pooling }: RandomFilters): void {
  const most = Math.min(height, width) - pooling + 1;
  if (size <= most) return;
  throw new DataError(
    `a filter of ${size} × ${size} pixels with ${pooling} × ${pooling} windows does not fit an image of ${height} × ${width}`,
    {},
    most < 2
      ? 'choose fewer windows, or leave the convolution out'
      : `choose a filter of at most ${most} × ${most} pixels, or fewer windows`,
  );
}
