import { readFileSync } from 'node:fs';
import type { Design } from '../src/features/design.ts';
import type { ResidualFeature } from '../src/features/residual-terms.ts';
import { nextRound } from '../src/federate.ts';
import type { Report } from '../src/model/report.ts';
import type { Study, TableStudy } from '../src/study/study.ts';
import { agreement } from './linear.ts';
import { federated, type Table } from './tables.ts';

interface Contact {
  readonly first: readonly number[];
  readonly slopes: readonly (readonly number[])[];
  readonly constant: readonly number[];
  readonly layer: readonly (readonly number[])[];
  readonly score: number;
  readonly fitted: readonly (readonly number[])[];
}

interface ResidualCase {
  readonly table: Readonly<Record<string, readonly number[]>>;
  readonly dimension: number;
  readonly seed: number;
  readonly ridge: number;
  readonly contacts: readonly Contact[];
}

/** numpy's answers; see vectors/residual.py. */
const vector = JSON.parse(
  readFileSync(new URL('vectors/residual.json', import.meta.url), 'utf8'),
) as { readonly units: ResidualCase; readonly classes: ResidualCase };

/** A study of residual layers over a table, and what numpy finds. */
export interface ResidualStudy {
  readonly study: TableStudy;
  readonly table: Table;
  readonly contacts: readonly Contact[];
}

function studyOf(
  { table, dimension, seed, ridge, contacts }: ResidualCase,
  formula: string,
  codebook: Table['codebook'],
  of?: ResidualFeature['of'],
): ResidualStudy {
  const cells = Object.fromEntries(
    Object.entries(table).map(([name, values]) => [name, Float64Array.from(values)]),
  );
  const feature: ResidualFeature = { kind: 'residual', dimension, seed, contacts: 3 };
  return {
    contacts,
    table: { rows: Object.values(table)[0].length, codebook, cells },
    study: {
      schema: 'suffice/study@1',
      formula,
      codebook,
      fusion: { kind: 'ridge', ridge },
      features: [of === undefined ? feature : { ...feature, of }],
      arithmetic: 'exact',
    },
  };
}

/** A number as response, columns of several units and a category. */
export const unitsLayers: ResidualStudy = studyOf(vector.units, 'z ~ kg + year + g', {
  kg: { type: 'number', range: [30, 110], center: 70, sd: 12 },
  year: { type: 'number', range: [1950, 2010] },
  g: { type: 'category', levels: ['a', 'b', 'c'] },
  z: { type: 'number', range: [-20, 40] },
});

/** Three classes over a random projection. */
export const classLayers: ResidualStudy = studyOf(
  vector.classes,
  'kind ~ .',
  {
    kind: { type: 'category', levels: ['p', 'q', 'r'] },
    ...Object.fromEntries(
      Array.from({ length: 6 }, (_, i) => [
        `x${i + 1}`,
        { type: 'number', range: [-4, 4], center: 0, sd: 1 } as const,
      ]),
    ),
  },
  { kind: 'projection', dimension: 5, seed: 3 },
);

/** The residual map of a study. */
export function layersOf({ features = [] }: Pick<TableStudy, 'features'>): ResidualFeature {
  const [terms] = features;
  if (terms?.kind !== 'residual') throw new Error('no residual map');
  return terms;
}

/** The report of a study over sites of rows; throws why there is none. */
export function reportOver(
  study: Study,
  table: Table,
  sites: readonly (readonly number[])[],
): Report {
  const { report } = federated(study, table, sites);
  if (typeof report === 'string') throw new Error(report);
  return report;
}

/** The study of the contact after a report; throws why there is none. */
export function nextContact(study: TableStudy, report: Report): TableStudy {
  const next = nextRound(study, JSON.parse(JSON.stringify(report)));
  if ('problem' in next) throw new Error(next.problem);
  return next as TableStudy;
}

/** The rows z of a study's design. */
export function valuesOf(study: Study, { rows, cells }: Table): readonly Float64Array[] {
  const design: Design = agreement(study).design;
  const hi = design.columns.map(() => new Float64Array(rows));
  const columns = design.variables.map((name) => cells[name]);
  design.evaluate(
    { rows, columns },
    { file: '', rowOf: (r) => r },
    hi,
    design.columns.map(() => undefined),
  );
  return hi;
}
