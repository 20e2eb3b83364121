import { DataError } from '../data-error.ts';
import type { Design, DesignRecipe } from '../features/design.ts';
import type { Agreement } from '../federate.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { TableStudy } from '../study/study.ts';

/** A study whose statistic an engine can compute to the last bit. */
export interface Pushable {
  readonly study: TableStudy;
  readonly design: Design;
  readonly recipe: DesignRecipe;
  /** What rows are reduced to. */
  readonly layout: LinearLayout;
}

/** What a query cannot compute, in the words of a study; the rest of the sentence is "so …". */
type Obstacle = readonly [isThere: boolean, what: string];

/** Largest size of a number in a query: products of a few stay far from the limits of float64. */
const LARGEST = 2 ** 120;

/** The study as a query computes it; refuses by name what only a reader of rows can do. */
export function pushable({ method }: Pick<Agreement, 'method'>): Pushable {
  const { regression, noise, network } = method;
  if (regression === undefined || network !== undefined) {
    throw refusal('the study does not sum the columns of a formula');
  }
  const { layout, design, study } = regression;
  const obstacles: readonly Obstacle[] = [
    [
      noise !== undefined || layout.privacy !== undefined,
      'the rows of a private study are scaled and clipped',
    ],
    [
      layout.family !== undefined,
      'a logistic or Poisson regression weights each row at an optimum',
    ],
    [
      layout.arithmetic !== 'exact',
      'compact arithmetic adds rounded numbers, whose sum depends on the order',
    ],
    [
      design.mapped !== undefined || design.image !== undefined,
      'a feature map needs more than sums and products',
    ],
  ];
  const [found] = obstacles.filter(([isThere]) => isThere);
  if (found !== undefined) throw refusal(found[1]);
  const { recipe } = design;
  if (recipe === undefined) throw refusal('the columns of the study are not those of its formula');
  const large = design.columns.find(
    ({ interval: { low, high } }) => Math.max(-low, high) > LARGEST,
  );
  if (large !== undefined) throw refusal(`${large.name} can become too large`);
  return { study, design, recipe, layout };
}

/** The refusal of what only a reader of rows can do. */
export function refusal(why: string): DataError {
  return new DataError(
    `${why}, so the statistic is not written as a query`,
    {},
    'let the rows be read instead: stream them from the database, or export them to a file',
  );
}
