import { readFileSync } from 'node:fs';
import type { Codebook } from '../src/study/codebook.ts';
import type { ProjectionFeature, TableStudy } from '../src/study/study.ts';
import type { Table } from './tables.ts';

interface ProjectionCase {
  readonly table: Readonly<Record<string, readonly number[]>>;
  readonly dimension: number;
  readonly seed: number;
  readonly ridge: number;
  readonly matrix: readonly (readonly number[])[];
  readonly coefficients: readonly number[];
  readonly original: readonly number[];
}

/** numpy's answers; see vectors/projection.py. */
export const vector = JSON.parse(
  readFileSync(new URL('vectors/projection.json', import.meta.url), 'utf8'),
) as {
  readonly plain: ProjectionCase;
  readonly units: ProjectionCase & {
    readonly fitted: readonly number[];
    readonly unpenalised: {
      readonly original: readonly number[];
      readonly errors: readonly number[];
    };
  };
};

function cellsOf({ table }: ProjectionCase): Table['cells'] {
  return Object.fromEntries(
    Object.entries(table).map(([name, values]) => [name, Float64Array.from(values)]),
  );
}

function featureOf({ dimension, seed }: ProjectionCase): ProjectionFeature {
  return { kind: 'projection', dimension, seed };
}

const unitless = { type: 'number', range: [-8, 8], center: 0, sd: 1 } as const;

/** The paper's case: columns with centre 0 and SD 1, no intercept. */
export const plainTable: Table = {
  rows: vector.plain.table.y.length,
  codebook: Object.fromEntries(Object.keys(vector.plain.table).map((name) => [name, unitless])),
  cells: cellsOf(vector.plain),
};
export const plainStudy: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'y ~ . - 1',
  codebook: {
    ...plainTable.codebook,
    y: { type: 'number', range: [-40, 40] },
  },
  fusion: { kind: 'ridge', ridge: vector.plain.ridge },
  features: [featureOf(vector.plain)],
  arithmetic: 'exact',
};

const codebook: Codebook = {
  kg: { type: 'number', unit: 'kg', range: [30, 110], center: 70, sd: 12 },
  year: { type: 'number', range: [1950, 2010] },
  dose: { type: 'number', range: [0, 0.002] },
  g: { type: 'category', levels: ['a', 'b', 'c'] },
  z: { type: 'number', range: [-50, 0] },
};

/** Columns of several units and a category. */
export const unitsTable: Table = {
  rows: vector.units.table.z.length,
  codebook,
  cells: cellsOf(vector.units),
};
export const unitsStudy: TableStudy = {
  schema: 'suffice/study@1',
  formula: 'z ~ kg + year + dose + g',
  codebook,
  fusion: { kind: 'ridge', ridge: vector.units.ridge },
  features: [featureOf(vector.units)],
  arithmetic: 'exact',
};
