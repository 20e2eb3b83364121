import type * as zod from 'zod';
import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { LARGEST_ANGLE } from '../numeric/cosine.ts';
import { fourierRows } from '../numeric/fourier-rows.ts';
import { assertSameJson } from '../study/same-json.ts';
import type { Zod } from '../study/zod.ts';
import {
  bandwidthOf,
  bandwidthSchema,
  bandwidthText,
  readBandwidth,
  readKernel,
  refuseBroad,
  refuseNarrow,
} from './bandwidth.ts';
import { covarianceKernel, type KernelName, kernelNames } from './covariance-kernels.ts';
import type { DesignColumn } from './design.ts';
import type { FeatureMap } from './feature-map.ts';
import { fourierFrequencies } from './fourier-frequencies.ts';
import { type MadeColumns, mapDesign } from './map-design.ts';
import { LARGEST_DIMENSION, refuseVast, seedSchema } from './map-limits.ts';
import { mappedReference } from './mapped-reference.ts';
import { readChoices } from './option-choices.ts';
import { projectedIntervals } from './projected-intervals.ts';

declare module '../study/study.ts' {
  interface Features {
    readonly fourier: FourierFeature;
  }
}

/**
 * Random Fourier features of all predictors: cosines and sines of `dimension`/2 random frequencies. A ridge over them comes
 * close to kernel ridge regression (Rahimi & Recht 2007).
 */
export interface FourierFeature {
  readonly kind: 'fourier';
  /** Number of columns for each bandwidth: even. */
  readonly dimension: number;
  readonly kernel: KernelName;
  /** In public units, by the kernel's rule unless given. Several are several maps sent at once: the solver keeps one. */
  readonly bandwidth?: number | readonly number[];
  /** Frequencies orthogonal to each other, which come closer to the kernel; not for a Laplace kernel. */
  readonly orthogonal?: boolean;
  /** A 32-bit whole number. */
  readonly seed: number;
}

const FOURIER = 'fourier';
const MOST_BANDWIDTHS = 10;

function schema(z: Zod) {
  return z.strictObject({
    kind: z.literal(FOURIER),
    dimension: z.int().min(2).max(LARGEST_DIMENSION),
    kernel: z.enum(kernelNames),
    bandwidth: z
      .union([bandwidthSchema(z), z.array(bandwidthSchema(z)).min(1).max(MOST_BANDWIDTHS)])
      .optional(),
    orthogonal: z.boolean().optional(),
    seed: seedSchema(z),
  });
}
assertSameJson<zod.infer<ReturnType<typeof schema>>, FourierFeature>('same');

/** Columns `fourier1` … `fourierD`: √(2/D)·cos and √(2/D)·sin of each frequency. A row's length is exactly 1. */
export const fourierMap: FeatureMap<FourierFeature> = {
  kind: FOURIER,
  noun: 'Fourier map',
  verb: 'map',
  made: { one: 'random Fourier feature', many: 'random Fourier features' },
  width: (terms) => terms.dimension * bandwidthsOf(terms).length,
  text: ({ dimension, kernel }) =>
    `${dimension} random Fourier features for ${covarianceKernel(kernel).text}`,
  choices(terms) {
    const { dimension, kernel, orthogonal, seed } = terms;
    const bandwidths = bandwidthsOf(terms).map(bandwidthText).join(' or ');
    const many = `${dimension} ${orthogonal ? 'orthogonal ' : ''}columns`;
    return `${kernel} kernel, ${bandwidths}, ${many}, seed ${seed}`;
  },
  note: () => 'fit it with a ridge chosen by gcv: without a penalty its coefficients are noise',
  bound: (terms) => Math.sqrt(bandwidthsOf(terms).length),
  apply: (design, terms) =>
    mapDesign(design, fourierMap, terms, (columns) => made(columns, terms, design.intercept)),
  schema,
  opaque: true,
  option: {
    form: '<D[,name=…]>',
    description:
      'send sums of this many random Fourier features: a ridge over them is close to kernel ridge regression (kernel=rbf, bandwidth by a public rule, several as 1/2/4, orthogonal=no, seed=1)',
    rule: `an even dimension from 2 to ${LARGEST_DIMENSION}, then kernel=${kernelNames.join('|')}, bandwidth=B or B/B/…, orthogonal=yes|no, seed=S`,
    examples: ['500', '500,kernel=laplace,bandwidth=2/4/8'],
    read(value) {
      const read = readChoices(value, ['kernel', 'bandwidth', 'orthogonal']);
      if (read === undefined) return undefined;
      const { size: dimension, seed, choices } = read;
      const kernel = readKernel(choices.get('kernel') ?? 'rbf');
      const given = choices.get('bandwidth')?.split('/').map(readBandwidth);
      const orthogonal = choices.get('orthogonal') ?? 'no';
      const isEven = dimension % 2 === 0 && dimension >= 2 && dimension <= LARGEST_DIMENSION;
      if (!isEven || kernel === undefined || !['yes', 'no'].includes(orthogonal)) return undefined;
      if (given !== undefined && given.length > MOST_BANDWIDTHS) return undefined;
      const bandwidths = given?.flatMap((one) => one ?? []);
      if (bandwidths?.length !== given?.length) return undefined;
      return {
        kind: FOURIER,
        dimension,
        kernel,
        ...defined({
          bandwidth: bandwidths?.length === 1 ? bandwidths[0] : bandwidths,
          orthogonal: orthogonal === 'yes' ? true : undefined,
        }),
        seed,
      };
    },
  },
};

/** One entry for each map; undefined where the kernel's rule gives the bandwidth. */
function bandwidthsOf({ bandwidth }: FourierFeature): readonly (number | undefined)[] {
  return typeof bandwidth === 'object' ? bandwidth : [bandwidth];
}

function made(
  columns: readonly DesignColumn[],
  terms: FourierFeature,
  intercept: boolean,
): MadeColumns {
  const { dimension, kernel, orthogonal = false, seed } = terms;
  const { length } = columns;
  const frequencies = dimension / 2;
  refuseDraw(terms, length);
  const bandwidths = bandwidthsOf(terms).map((bandwidth) =>
    bandwidthOf({ kernel, ...defined({ bandwidth }) }, length),
  );
  const matrix = () => fourierFrequencies(length, { kernel, frequencies, orthogonal, seed });
  refuseAngles(columns, matrix(), frequencies, bandwidths);
  const size = Math.sqrt(2 / dimension);
  const interval = { low: -size, high: size };
  const column = {
    reference: mappedReference(interval, intercept),
    publicUnit: { center: 0, scale: size * Math.SQRT1_2 },
    interval,
  };
  return {
    term: FOURIER,
    columns: Array.from({ length: dimension * bandwidths.length }, (_, j) => ({
      ...column,
      name: `${FOURIER}${j + 1}`,
    })),
    ...defined({
      alternatives:
        bandwidths.length > 1 ? bandwidths.map((one) => `${FOURIER}(bandwidth ${one})`) : undefined,
    }),
    mapper: () => fourierRows(matrix(), length, frequencies, bandwidths, size),
    write({ inputs, affine, call, scale, beside }) {
      const drawn = matrix();
      const waves = bandwidths.flatMap((bandwidth) => {
        const angles = affine(
          inputs,
          drawn.map((value) => value / bandwidth),
        );
        return [call('cos', angles), call('sin', angles)];
      });
      return scale(beside(waves), size);
    },
  };
}

/** Most products for making frequencies orthogonal: some seconds. */
const MOST_PRODUCTS = 2e9;
/** Most columns of all bandwidths. */
const MOST_COLUMNS = 10_000;

function refuseDraw(terms: FourierFeature, columns: number): void {
  const { dimension, kernel, orthogonal = false } = terms;
  const bandwidths = bandwidthsOf(terms);
  if (dimension % 2 !== 0) {
    throw new DataError(
      `a Fourier map has a cosine and a sine for each frequency, so ${dimension} is no dimension`,
      {},
      `choose ${dimension + 1}`,
    );
  }
  if (new Set(bandwidths).size < bandwidths.length) {
    throw new DataError('two bandwidths of the Fourier map are equal', {}, 'leave out one of them');
  }
  if (dimension * bandwidths.length > MOST_COLUMNS) {
    throw new DataError(
      `${bandwidths.length} bandwidths of ${dimension} columns are more than ${MOST_COLUMNS}`,
      {},
      'choose a smaller dimension, or fewer bandwidths',
    );
  }
  refuseVast(fourierMap.noun, columns, dimension / 2);
  if (!orthogonal) return;
  if (covarianceKernel(kernel).distance !== 'euclidean') {
    throw new DataError(
      `frequencies of ${covarianceKernel(kernel).text} cannot be orthogonal`,
      {},
      'leave out orthogonal, or choose another kernel',
    );
  }
  if ((dimension / 2) * columns * Math.min(columns, dimension / 2) <= MOST_PRODUCTS) return;
  throw new DataError(
    `${dimension / 2} orthogonal frequencies of ${columns} columns take too long to draw`,
    {},
    'leave out orthogonal, or choose a smaller dimension',
  );
}

/** Largest angle of a map in which no row differs from another by more than a millionth. */
const SMALLEST_REACH = 2 ** -20;

function refuseAngles(
  columns: readonly DesignColumn[],
  matrix: Float64Array,
  frequencies: number,
  bandwidths: readonly number[],
): void {
  let reach = 0;
  for (const { low, high } of projectedIntervals(columns, matrix, frequencies)) {
    // In this form a NaN is kept.
    if (!(Math.max(-low, high) <= reach)) reach = Math.max(-low, high);
  }
  const narrow = bandwidths.find((bandwidth) => !(reach * (1 / bandwidth) <= LARGEST_ANGLE));
  if (narrow !== undefined) refuseNarrow(fourierMap.noun, narrow);
  const wide = bandwidths.find((bandwidth) => reach / bandwidth < SMALLEST_REACH);
  if (wide !== undefined) refuseBroad(wide);
}
