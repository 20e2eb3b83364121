import type * as zod from 'zod';
import { DataError } from '../data-error.ts';
import { defined } from '../defined.ts';
import { assertSameJson } from '../study/same-json.ts';
import type { ProjectionFeature } from '../study/study.ts';
import type { Zod } from '../study/zod.ts';
import type { Design, DesignColumn } from './design.ts';
import type { FeatureMap } from './feature-map.ts';
import { type MadeColumns, mapDesign } from './map-design.ts';
import { LARGEST_DIMENSION, refuseVast, seedSchema } from './map-limits.ts';
import { mappedReference } from './mapped-reference.ts';
import { readChoices } from './option-choices.ts';
import { projectedIntervals } from './projected-intervals.ts';
import {
  matrixNames,
  matrixOf,
  type Projection,
  projectionMatrix,
  projectionRows,
} from './projection.ts';
import type { PublicUnit } from './public-unit.ts';

/** The label of the one term that replaces all projected columns. */
const PROJECTION = 'projection';

function schema(z: Zod) {
  return z.strictObject({
    kind: z.literal('projection'),
    matrix: z.enum(matrixNames).optional(),
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
  text(terms) {
    const { dimension } = terms;
    const noun = dimension === 1 ? 'random projection' : 'random projections';
    return [dimension === 1 ? 'a' : dimension, matrixOf(terms).adjective, noun]
      .filter((word) => word !== '')
      .join(' ');
  },
  choices: (terms) =>
    [matrixOf(terms).adjective, `seed ${terms.seed}`].filter((word) => word !== '').join(', '),
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
    form: '<dimension[,name=…]>',
    description:
      'send sums of this many random projections of the columns instead of the columns; fewer bytes, but information is lost (seed: 1; matrix=hadamard takes a site less time if there are a thousand columns)',
    rule: `a dimension from 1 to ${LARGEST_DIMENSION}, a seed below 2³², and matrix=${matrixNames.join('|')}`,
    examples: ['50', '50,7', '50,matrix=sparse', '50,matrix=hadamard,seed=7'],
    read(value) {
      const read = readChoices(value.replace(/^(\d+),(\d+)/, '$1,seed=$2'), ['matrix']);
      if (read === undefined) return undefined;
      const { size: dimension, seed, choices } = read;
      const asked = choices.get('matrix');
      const matrix = matrixNames.find((name) => name === asked);
      if (dimension < 1 || dimension > LARGEST_DIMENSION || matrix !== asked) return undefined;
      return { kind: 'projection', ...defined({ matrix }), dimension, seed };
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
    mapper: () => projectionRows(length, terms),
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
