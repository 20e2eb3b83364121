import type { ProjectionFeature } from '../study/study.ts';
import { matrixNames, matrixOf, projectionMatrix } from './projection.ts';

/** A projection that a study could ask for, and what it takes. */
export interface ProjectionChoice {
  readonly title: string;
  /** As the command line asks for it. */
  readonly flag: string;
  readonly terms: ProjectionFeature;
  /** Its matrix for a number of columns, row-major. */
  matrix(columns: number): Float64Array;
  /** Products and sums that a row takes. */
  work(columns: number): { readonly products: number; readonly sums: number };
}

/** One projection to a dimension for every matrix; the first is the usual one. */
export function projectionChoices(dimension: number, seed: number): ProjectionChoice[] {
  return [{}, ...matrixNames.map((matrix) => ({ matrix }))].map((choice) => {
    const terms: ProjectionFeature = { kind: 'projection', ...choice, dimension, seed };
    const named = Object.entries(choice).map(([key, value]) => `,${key}=${value}`);
    const { title, work } = matrixOf(terms);
    return {
      title,
      flag: `--projection ${dimension}${named.join('')}`,
      terms,
      matrix: (columns) => projectionMatrix(columns, terms),
      work: (columns) => work(columns, dimension),
    };
  });
}
