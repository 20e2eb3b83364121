import { DataError } from '../data-error.ts';
import { type RowProjector, rowProjector } from '../numeric/project-rows.ts';
import { SITE_COLUMN } from '../study/codebook.ts';
import type { Design, DesignColumn } from './design.ts';
import type { Interval } from './interval.ts';
import { type Projection, projectionMatrix } from './projection.ts';
import type { PublicUnit } from './public-unit.ts';
import { centeredReference, originReference, type Reference } from './reference.ts';

/** The label of the one term that stands for all that was projected. */
export const PROJECTION = 'projection';

/**
 * The design with its predictors replaced by random projections of them, `projection1` … `projectionM`, one term. What is
 * projected is each column in its public unit, (v − centre) / scale of the codebook, so that kilograms and centimetres
 * weigh alike; with centre 0 and SD 1 stated it is A·R of the paper as printed. Intercept, `.site` and responses stay.
 * A projected value is one double, rounded in a fixed order: every site has the same bits.
 */
export function projectDesign(design: Design, projection: Projection): Design {
  const { dimension, seed } = projection;
  const predictors = design.columns.slice(0, design.columns.length - design.responses);
  const first = design.intercept ? 1 : 0;
  const slopes = [...predictors.keys()].slice(first);
  const sites = slopes.filter((index) => predictors[index].term === SITE_COLUMN);
  const columns = slopes.filter((index) => predictors[index].term !== SITE_COLUMN);
  refuseNames(design);
  refuseVast(columns.length, dimension);
  const matrix = projectionMatrix(columns.length, projection);
  const made = projectedColumns(
    columns.map((index) => predictors[index]),
    matrix,
    projection,
    design.intercept,
  );
  const behind = [...sites, ...[...design.columns.keys()].slice(predictors.length)];
  // z is the constant, the projections, the sites' own columns, the responses.
  const arranged = <T>(own: readonly T[], projections: readonly T[]): T[] => [
    ...own.slice(0, first),
    ...projections,
    ...behind.map((index) => own[index]),
  ];
  const places = design.columns.map((_, index) => {
    if (index < first) return index;
    return behind.includes(index) ? first + dimension + behind.indexOf(index) : undefined;
  });
  const siteTerm = design.terms.filter(({ label }) => label === SITE_COLUMN);
  let project: RowProjector | undefined;
  // Kept from block to block: blocks are small and many.
  let scratch: Float64Array[] = [];

  return {
    ...design,
    columns: arranged(design.columns, made),
    needsLow: arranged(
      design.needsLow,
      made.map(() => false),
    ),
    terms: [
      { label: PROJECTION, columns: made.map((_, j) => first + j) },
      ...siteTerm.map(({ label, columns: own }) => ({
        label,
        columns: own.map((index) => places[index]!),
      })),
    ],
    evaluate(block, origin, hi, lo) {
      project ??= rowProjector(matrix, columns.length, dimension);
      if ((scratch[columns[0]]?.length ?? 0) < block.rows) {
        scratch = design.columns.map((_, index) =>
          places[index] === undefined ? new Float64Array(block.rows) : new Float64Array(0),
        );
      }
      const own = places.map((place, index) => (place === undefined ? scratch[index] : hi[place]));
      const low = places.map((place) => (place === undefined ? undefined : lo[place]));
      design.evaluate(block, origin, own, low);
      const inUnits = columns.map((index) => ({
        values: own[index],
        ...predictors[index].publicUnit,
      }));
      project(inUnits, block.rows, hi.slice(first, first + dimension));
      for (const rest of lo.slice(first, first + dimension)) rest?.fill(0, 0, block.rows);
    },
    projected: { from: design, columns, matrix, dimension, seed },
  };
}

/** Whether a column is called like a projection; a study that projects has no other of that name. */
export function isProjectionName(name: string): boolean {
  return /^projection\d*$/.test(name);
}

/** Names of the columns that are projections. */
export function projectionNames({ columns }: Pick<Design, 'columns'>): string[] {
  return columns.flatMap(({ name, term }) => (term === PROJECTION ? [name] : []));
}

/** What a rounded sum of products may exceed its exact bound by, relative to it: far above any rounding. */
const MARGIN = 1e-9;

function projectedColumns(
  columns: readonly DesignColumn[],
  matrix: Float64Array,
  { dimension }: Projection,
  intercept: boolean,
): DesignColumn[] {
  const bounds = columns.map(({ interval, publicUnit: { center, scale } }) => ({
    low: (interval.low - center) / scale,
    high: (interval.high - center) / scale,
  }));
  return Array.from({ length: dimension }, (_, j) => {
    let [low, high, reach, squares] = [0, 0, 0, 0];
    bounds.forEach((bound, i) => {
      const weight = matrix[i * dimension + j];
      low += Math.min(weight * bound.low, weight * bound.high);
      high += Math.max(weight * bound.low, weight * bound.high);
      reach += Math.abs(weight) * Math.max(Math.abs(bound.low), Math.abs(bound.high));
      squares += weight * weight;
    });
    const slack = MARGIN * reach;
    const interval = { low: low - slack, high: high + slack };
    return {
      name: `${PROJECTION}${j + 1}`,
      term: PROJECTION,
      reference: frameOf(interval, intercept),
      publicUnit: spreadOf(squares),
      interval,
    };
  });
}

/** The columns it is a sum of have mean 0 and variance 1 as far as the public knows. */
function spreadOf(squares: number): PublicUnit {
  return { center: 0, scale: Math.sqrt(squares) || 1 };
}

function frameOf(interval: Interval, intercept: boolean): Reference {
  const frame = intercept ? centeredReference(interval) : originReference(interval);
  // Centre 0 and scale 1 is how the disclosure rules know an indicator, which this is not.
  return frame.center === 0 && frame.scale === 1 ? { center: 0, scale: 2 } : frame;
}

/** Numbers of a projection that everybody must hold: 400 MB, drawn in some seconds. */
const MOST_DRAWN = 5e7;

function refuseVast(columns: number, dimension: number): void {
  if (columns * dimension <= MOST_DRAWN) return;
  throw new DataError(
    `a projection of ${columns} columns to ${dimension} is a matrix of more than ${MOST_DRAWN / 1e6} million numbers`,
    {},
    'choose a smaller dimension, or leave out terms with many levels',
  );
}

function refuseNames({ columns, terms, responses }: Design): void {
  const taken = columns.find(({ name, term }) => isProjectionName(name) || term === PROJECTION);
  if (taken !== undefined) {
    throw new DataError(
      `${taken.name} is what a projected column is called`,
      { column: taken.name },
      'give the column another name, or leave the projection out',
    );
  }
  const mixed = terms.find(
    ({ label }) => label !== SITE_COLUMN && label.split(':').includes(SITE_COLUMN),
  );
  if (mixed !== undefined) {
    throw new DataError(
      `a projection would mix ${mixed.label}, which differs from site to site, with everything else`,
      {},
      `leave out ${mixed.label}, or the projection`,
    );
  }
  if (columns.slice(0, columns.length - responses).every(({ term }) => isKept(term))) {
    throw new DataError(
      'the formula has nothing to project',
      {},
      'add terms, or leave the projection out',
    );
  }
}

function isKept(term: string): boolean {
  return term === SITE_COLUMN || term === '(Intercept)';
}
