import type * as zod from 'zod';
import { DataError } from '../data-error.ts';
import { assertSameJson } from '../study/same-json.ts';
import type { Zod } from '../study/zod.ts';
import type { DesignColumn } from './design.ts';
import type { FeatureMap } from './feature-map.ts';
import { hull, type Interval, pointInterval } from './interval.ts';
import { type MadeColumns, mapDesign, type RowMapper } from './map-design.ts';
import { LARGEST_DIMENSION, refuseVast, seedSchema } from './map-limits.ts';
import { mappedReference } from './mapped-reference.ts';
import { readChoices } from './option-choices.ts';
import { type ProjectedInterval, projectedIntervals } from './projected-intervals.ts';
import { type RandomUnits, randomUnits, unitRows } from './random-units.ts';

declare module '../study/study.ts' {
  interface Features {
    readonly tangent: TangentFeature;
  }
}

/**
 * Random tangent features of a wide two-layer ReLU network: a ridge over them comes close to regression with its
 * neural tangent kernel (Jacot et al. 2018; features: Zandieh et al. 2021, §3).
 */
export interface TangentFeature {
  readonly kind: 'tangent';
  /** Number of columns: even, one half for each layer. */
  readonly dimension: number;
  /** A 32-bit whole number. */
  readonly seed: number;
}

const TANGENT = 'tangent';

function schema(z: Zod) {
  return z.strictObject({
    kind: z.literal(TANGENT),
    dimension: z.int().min(2).max(LARGEST_DIMENSION),
    seed: seedSchema(z),
  });
}
assertSameJson<zod.infer<ReturnType<typeof schema>>, TangentFeature>('same');

/**
 * Columns `tangent1` … `tangentD`. The first D/2 are √(4/D)·max(0, w·x): the gradient of the second layer. The others are
 * √(4/D)·(v·x)·[g·x > 0]: a random direction v of the gradient of the first. Each x has a further 1, for the biases.
 */
export const tangentMap: FeatureMap<TangentFeature> = {
  kind: TANGENT,
  noun: 'tangent map',
  verb: 'map',
  made: { one: 'tangent feature', many: 'tangent features' },
  width: ({ dimension }) => dimension,
  text: ({ dimension }) => `${dimension} tangent features of a two-layer ReLU network`,
  choices: ({ dimension, seed }) => `${dimension} of a two-layer ReLU network, seed ${seed}`,
  note: () => 'fit it with a ridge chosen by gcv: without a penalty its coefficients are noise',
  apply: (design, terms) =>
    mapDesign(design, tangentMap, terms, (columns) => made(columns, terms, design.intercept)),
  schema,
  opaque: true,
  option: {
    form: '<D[,seed=S]>',
    description:
      'send sums of this many tangent features of a wide two-layer ReLU network: a ridge over them is close to its neural tangent kernel (seed=1)',
    rule: `an even dimension from 2 to ${LARGEST_DIMENSION}, then seed=S`,
    examples: ['500', '500,seed=7'],
    read(value) {
      const read = readChoices(value, []);
      if (read === undefined) return undefined;
      const { size: dimension, seed } = read;
      const fits = dimension % 2 === 0 && dimension >= 2 && dimension <= LARGEST_DIMENSION;
      return fits ? { kind: TANGENT, dimension, seed } : undefined;
    },
  },
};

/** The units of both layers' gradients. */
interface TangentUnits {
  readonly outer: RandomUnits;
  readonly slopes: RandomUnits;
  readonly gates: RandomUnits;
}

function made(
  columns: readonly DesignColumn[],
  { dimension, seed }: TangentFeature,
  intercept: boolean,
): MadeColumns {
  const { length } = columns;
  const half = dimension / 2;
  if (dimension % 2 !== 0) {
    throw new DataError(
      `a tangent map has one half of its columns for each layer, so ${dimension} is no dimension`,
      {},
      `choose ${dimension + 1}`,
    );
  }
  refuseVast(tangentMap.noun, length, dimension);
  const units = (): TangentUnits => ({
    outer: randomUnits('tangent outer', length, half, seed),
    slopes: randomUnits('tangent slope', length, half, seed),
    gates: randomUnits('tangent gate', length, half, seed),
  });
  const size = Math.sqrt(4 / dimension);
  const { outer, slopes } = units();
  const sumsOf = ({ weights, biases }: RandomUnits) =>
    projectedIntervals(columns, weights, half, biases);
  const columnOf = (interval: Interval, { squares }: ProjectedInterval, bias: number) => ({
    reference: mappedReference(interval, intercept),
    publicUnit: { center: 0, scale: size * Math.sqrt((squares + bias * bias) / 2) || 1 },
    interval,
  });
  const scaled = ({ low, high }: Interval) => ({ low: size * low, high: size * high });
  const positive = ({ low, high }: Interval) => ({
    low: Math.max(0, low),
    high: Math.max(0, high),
  });
  return {
    term: TANGENT,
    columns: [
      ...sumsOf(outer).map((sum, j) => columnOf(scaled(positive(sum)), sum, outer.biases[j])),
      ...sumsOf(slopes).map((sum, j) =>
        columnOf(scaled(hull(sum, pointInterval(0))), sum, slopes.biases[j]),
      ),
    ].map((column, j) => ({ ...column, name: `${TANGENT}${j + 1}` })),
    mapper: () => tangentRows(units(), size),
    write({ inputs, affine, call, scale, multiply, beside }) {
      const drawn = units();
      const sums = ({ weights, biases }: RandomUnits) => affine(inputs, weights, biases);
      const gated = multiply(sums(drawn.slopes), call('step', sums(drawn.gates)));
      return scale(beside([call('relu', sums(drawn.outer)), gated]), size);
    },
  };
}

function tangentRows({ outer, slopes, gates }: TangentUnits, size: number): RowMapper {
  const half = outer.biases.length;
  const fills = [outer, slopes, gates].map(unitRows);
  let open: Float64Array[] = [];
  return (columns, rows, target) => {
    if ((open[0]?.length ?? 0) < rows) {
      open = Array.from({ length: half }, () => new Float64Array(rows));
    }
    const [first, second] = [target.slice(0, half), target.slice(half)];
    [first, second, open].forEach((into, k) => {
      fills[k](columns, rows, into);
    });
    for (let j = 0; j < half; j++) {
      const [relu, gated, gate] = [first[j], second[j], open[j]];
      for (let r = 0; r < rows; r++) {
        relu[r] = relu[r] > 0 ? size * relu[r] : 0;
        gated[r] = gate[r] > 0 ? size * gated[r] : 0;
      }
    }
  };
}
