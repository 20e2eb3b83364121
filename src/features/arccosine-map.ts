import type * as zod from 'zod';
import { defined } from '../defined.ts';
import { assertSameJson } from '../study/same-json.ts';
import type { Zod } from '../study/zod.ts';
import type { DesignColumn } from './design.ts';
import type { FeatureMap } from './feature-map.ts';
import { type MadeColumns, mapDesign } from './map-design.ts';
import { LARGEST_DIMENSION, refuseVast, seedSchema } from './map-limits.ts';
import { mappedReference } from './mapped-reference.ts';
import { readChoices } from './option-choices.ts';
import { projectedIntervals } from './projected-intervals.ts';
import { randomUnits, unitRows } from './random-units.ts';

declare module '../study/study.ts' {
  interface Features {
    readonly arccosine: ArccosineFeature;
  }
}

/**
 * Random units of a network: powers of max(0, w·x + b) with normal weights. A ridge over them comes close to kernel
 * ridge regression with the arc-cosine kernel (Cho & Saul 2009).
 */
export interface ArccosineFeature {
  readonly kind: 'arccosine';
  /** Number of columns. */
  readonly dimension: number;
  /** The power: 0 gives steps, 1 (unless given) ReLU units, 2 their squares. */
  readonly degree?: 0 | 1 | 2;
  /** A 32-bit whole number. */
  readonly seed: number;
}

const ARCCOSINE = 'arccosine';

function schema(z: Zod) {
  return z.strictObject({
    kind: z.literal(ARCCOSINE),
    dimension: z.int().min(1).max(LARGEST_DIMENSION),
    degree: z.literal([0, 1, 2]).optional(),
    seed: seedSchema(z),
  });
}
assertSameJson<zod.infer<ReturnType<typeof schema>>, ArccosineFeature>('same');

const degrees: Readonly<Record<string, 0 | 1 | 2>> = { 0: 0, 1: 1, 2: 2 };

/** Columns `arccosine1` … `arccosineD`: √(2/D)·max(0, w·x + b)ⁿ, for degree 0 √(2/D)·[w·x + b > 0]. */
export const arccosineMap: FeatureMap<ArccosineFeature> = {
  kind: ARCCOSINE,
  noun: 'layer of random units',
  verb: 'map',
  made: { one: 'random unit', many: 'random units' },
  width: ({ dimension }) => dimension,
  text: ({ dimension, degree = 1 }) =>
    `${dimension} random units for an arc-cosine kernel of degree ${degree}`,
  choices: ({ dimension, degree = 1, seed }) =>
    `arc-cosine of degree ${degree}, ${dimension} units, seed ${seed}`,
  note: () => 'fit it with a ridge chosen by gcv: without a penalty its coefficients are noise',
  apply: (design, terms) =>
    mapDesign(design, arccosineMap, terms, (columns) => made(columns, terms, design.intercept)),
  schema,
  opaque: true,
  option: {
    form: '<D[,name=…]>',
    description:
      'send sums of this many random ReLU units of the columns: a ridge over them is close to the arc-cosine kernel (degree=1, seed=1)',
    rule: `a dimension from 1 to ${LARGEST_DIMENSION}, then degree=0|1|2, seed=S`,
    examples: ['500', '500,degree=0,seed=7'],
    read(value) {
      const read = readChoices(value, ['degree']);
      if (read === undefined) return undefined;
      const { size: dimension, seed, choices } = read;
      const given = choices.get('degree');
      const degree = given === undefined ? undefined : degrees[given];
      const isKnown = given === undefined || degree !== undefined;
      if (!isKnown || dimension < 1 || dimension > LARGEST_DIMENSION) return undefined;
      return { kind: ARCCOSINE, dimension, ...defined({ degree }), seed };
    },
  },
};

function made(
  columns: readonly DesignColumn[],
  { dimension, degree = 1, seed }: ArccosineFeature,
  intercept: boolean,
): MadeColumns {
  const { length } = columns;
  refuseVast(arccosineMap.noun, length, dimension);
  const units = () => randomUnits(ARCCOSINE, length, dimension, seed);
  const size = Math.sqrt(2 / dimension);
  const value = unitValue(degree, size);
  const { weights, biases } = units();
  const sums = projectedIntervals(columns, weights, dimension, biases);
  return {
    term: ARCCOSINE,
    columns: sums.map(({ low, high, squares }, j) => {
      const interval = { low: value(low), high: value(high) };
      const spread = Math.sqrt(squares + biases[j] * biases[j]);
      return {
        name: `${ARCCOSINE}${j + 1}`,
        reference: mappedReference(interval, intercept),
        publicUnit: { center: 0, scale: value(spread) * Math.SQRT1_2 || 1 },
        interval,
      };
    }),
    mapper() {
      const fill = unitRows(units());
      return (given, rows, target) => {
        fill(given, rows, target);
        for (const values of target) {
          for (let r = 0; r < rows; r++) values[r] = value(values[r]);
        }
      };
    },
    write({ inputs, affine, call, scale, multiply }) {
      const drawn = units();
      const sum = affine(inputs, drawn.weights, drawn.biases);
      const unit = call(degree === 0 ? 'step' : 'relu', sum);
      return scale(degree === 2 ? multiply(unit, unit) : unit, size);
    },
  };
}

/** size·max(0, sum)ⁿ, and for degree 0 size·[sum > 0]. */
function unitValue(degree: 0 | 1 | 2, size: number): (sum: number) => number {
  if (degree === 0) return (sum) => (sum > 0 ? size : 0);
  if (degree === 1) return (sum) => (sum > 0 ? size * sum : 0);
  return (sum) => (sum > 0 ? size * (sum * sum) : 0);
}
