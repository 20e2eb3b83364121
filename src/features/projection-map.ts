import type * as zod from 'zod';
import { DataError } from '../data-error.ts';
import { rowProjector } from '../numeric/project-rows.ts';
import { assertSameJson } from '../study/same-json.ts';
import type { ProjectionFeature } from '../study/study.ts';
import type { Zod } from '../study/zod.ts';
import type { Design, DesignColumn } from './design.ts';
import type { FeatureMap } from './feature-map.ts';
import { type MadeColumns, mapDesign } from './map-design.ts';
import { LARGEST_DIMENSION, refuseVast, seedSchema } from './map-limits.ts';
import { mappedReference } from './mapped-reference.ts';
import { projectedIntervals } from './projected-intervals.ts';
import { type Projection, projectionMatrix } from './projection.ts';
import type { PublicUnit } from './public-unit.ts';

/** The label of the one term that replaces all projected columns. */
const PROJECTION = 'projection';
const USUAL_SEED = 1;

function schema(z: Zod) {
  return z.strictObject({
    kind: z.literal('projection'),
    dimension: z.int().min(1).max(LARGEST_DIMENSION),
    seed: seedSchema(z),
  });
}
assertSameJson<zod.infer<ReturnType<typeof schema>>, ProjectionFeature>('same');

/**
 * Random projections of the predictors, `projection1` … `projectionM`. With centre 0 and SD 1 in the codebook it is A·R of
 * the one-shot ridge paper (§IV-F) as printed. Sums are rounded in a fixed order.
 */
export const projectionMap: FeatureMap<ProjectionFeature> = {
  kind: 'projection',
  noun: 'projection',
  verb: 'project',
  made: { one: 'random projection', many: 'random projections' },
  width: ({ dimension }) => dimension,
  text: ({ dimension }) =>
    dimension === 1 ? 'a random projection' : `${dimension} random projections`,
  choices: ({ seed }) => `seed ${seed}`,
  loss: (width) => `what lies outside ${width === 1 ? 'it' : 'them'} is lost`,
  note({ dimension }, columns) {
    const share = Math.round((100 * dimension) / columns);
    return `it keeps about ${share} % of what unrelated columns explain of the response; little is lost only if a few directions have most of their variance`;
  },
  apply(design, terms) {
    refuseNames(design);
    return mapDesign(design, projectionMap, terms, (columns) =>
      projected(columns, terms, design.intercept),
    );
  },
  schema,
  option: {
    form: '<dimension[,seed]>',
    description:
      'send sums of this many random projections of the columns instead of the columns; fewer bytes, but information is lost (seed: 1)',
    rule: `a dimension from 1 to ${LARGEST_DIMENSION}, and a seed below 2³²`,
    examples: ['50', '50,7'],
    read(value) {
      const parts = /^(\d+)(?:,(\d+))?$/.exec(value);
      const dimension = Number(parts?.[1]);
      const seed = Number(parts?.[2] ?? USUAL_SEED);
      if (!(dimension >= 1 && dimension <= LARGEST_DIMENSION && seed < 2 ** 32)) return undefined;
      return { kind: 'projection', dimension, seed };
    },
  },
};

function projected(
  columns: readonly DesignColumn[],
  terms: Projection,
  intercept: boolean,
): MadeColumns {
  const { length } = columns;
  const { dimension } = terms;
  refuseVast(PROJECTION, length, dimension);
  refuseUseless(length, dimension);
  const weights = () => projectionMatrix(length, terms);
  return {
    term: PROJECTION,
    columns: projectedColumns(columns, weights(), terms, intercept),
    weights,
    mapper: () => rowProjector(weights(), length, dimension),
  };
}

function projectedColumns(
  columns: readonly DesignColumn[],
  matrix: Float64Array,
  { dimension }: Projection,
  intercept: boolean,
): MadeColumns['columns'] {
  return projectedIntervals(columns, matrix, dimension).map(({ low, high, squares }, j) => ({
    name: `${PROJECTION}${j + 1}`,
    reference: mappedReference({ low, high }, intercept),
    publicUnit: spreadOf(squares),
    interval: { low, high },
  }));
}

/** The unit of a sum of columns with public mean 0 and variance 1. */
function spreadOf(squares: number): PublicUnit {
  return { center: 0, scale: Math.sqrt(squares) || 1 };
}

function refuseUseless(columns: number, dimension: number): void {
  if (dimension < columns) return;
  throw new DataError(
    `a projection of ${columns} columns to ${dimension} saves nothing`,
    {},
    columns > 1
      ? `choose a dimension below ${columns}, or leave the projection out`
      : 'leave the projection out',
  );
}

/** Refuses names of its columns, for any dimension. */
function refuseNames({ columns }: Design): void {
  const taken = columns.find(
    ({ name, term }) => /^projection\d*$/.test(name) || term === PROJECTION,
  );
  if (taken === undefined) return;
  throw new DataError(
    `${taken.name} is also the name of a projected column`,
    { column: taken.name },
    'give the column another name, or leave the projection out',
  );
}
