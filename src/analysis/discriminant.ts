import type { Failure } from '../failure.ts';
import type { ResponseClasses } from '../features/design.ts';
import { ddAt } from '../numeric/dd-matrix.ts';
import { normalUpperTail } from '../numeric/distributions.ts';
import { dd, ddAdd, ddMultiply, ddScale, ddSubtract } from '../numeric/double-double.ts';
import { leastSquares } from '../solve/least-squares.ts';
import type { Solution } from '../solve/solution.ts';
import {
  type ClassMembers,
  classWeight,
  type WithinClasses,
  withinClasses,
} from '../solve/within-classes.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import { alignDecimals, grouped, listed, significant } from '../text/number-text.ts';
import { type Ink, layOutBlocks, plainInk } from '../text/text-table.ts';
import type { QueryInput } from './query-input.ts';
import type { Topic } from './topic.ts';

/**
 * Linear discriminant analysis, as MASS::lda with priors from the class sizes: the posterior of a class is the softmax
 * over classes of constant + Σ coefficient · term.
 */
export interface Discriminant {
  readonly about: 'discriminant';
  /** The response, such as `species`. */
  readonly label: string;
  /** Columns of the means and coefficients, in order. */
  readonly terms: readonly string[];
  /** Columns left out: within classes they are combinations of the ones before. */
  readonly aliased: readonly string[];
  /** The penalty added to the scatter within classes; 0 is plain discriminant analysis. */
  readonly ridge: number;
  /** Classes with rows, the baseline first. */
  readonly classes: readonly DiscriminantClass[];
  /** Levels without rows, which have no posterior. */
  readonly empty: readonly string[];
  /** How far apart two classes are; absent with more. */
  readonly separation?: Separation;
}

export interface DiscriminantClass {
  readonly level: string;
  /** Rows, or the sum of their weights. */
  readonly n: number;
  readonly prior: number;
  readonly means: readonly number[];
  readonly constant: number;
  readonly coefficients: readonly number[];
}

export interface Separation {
  /** Distance of the two means along the scores, in standard deviations within classes. */
  readonly distance: number;
  /** Area under the ROC curve if the scores are normal in both classes: Φ(distance / √2); on the rows fitted. */
  readonly auc: number;
}

/** Discriminant analysis of a category among the responses; `label` where there are several. */
export function discriminant(input: QueryInput, label?: string): Discriminant | Failure {
  const { design, total } = input;
  const classes = chosen(input, label);
  if (classes === undefined) {
    return {
      problem: label === undefined ? 'no response is a category' : `${label} is not a category`,
      remedy: 'put a category before "~", such as species ~ x, or a comparison: I(y > 0) ~ x',
    };
  }
  const members = membersOf(classes, total).map((one) => ({
    ...one,
    weight: classWeight(total, one),
  }));
  const present = members.filter(({ weight }) => weight > 0);
  const rows = input.fit.equations.rows;
  if (present.length < 2) {
    return {
      problem: `all rows have the same ${classes.label}`,
      remedy: 'discriminant analysis needs rows of two classes at least',
    };
  }
  if (design.columns.length - design.responses - (design.intercept ? 1 : 0) === 0) {
    return { problem: 'the formula has no terms', remedy: 'add some: species ~ x + z' };
  }
  if (rows <= present.length) {
    return {
      problem: `${rows} rows are too few for ${present.length} classes`,
      remedy: 'discriminant analysis needs more rows than classes',
    };
  }
  const within = withinClasses(total, present);
  const penalty = penaltyFor(input, within);
  const solution = leastSquares(within.equations, penalty);
  if ('problem' in solution) return solution;
  if (solution.kept.length === 0) {
    return {
      problem: 'no column varies within the classes',
      remedy: 'add a term that does, or add a ridge',
      option: { name: 'ridge' },
    };
  }
  const names = within.equations.layout.columns.slice(1);
  return {
    about: 'discriminant',
    label: classes.label,
    terms: solution.kept.map((column) => names[column]),
    aliased: solution.aliased.map((column) => names[column]),
    ridge: penalty.some((p) => p > 0) ? input.fit.ridge : 0,
    classes: scores(within, solution, rows),
    empty: members.filter(({ weight }) => !(weight > 0)).map(({ name }) => name),
    ...(present.length === 2 ? separation(within, solution, rows) : {}),
  };
}

/** The named category, or that of the response in question, or the first. */
function chosen({ design, response }: QueryInput, label?: string): ResponseClasses | undefined {
  const { classes } = design;
  if (label !== undefined) return classes.find((one) => one.label === label);
  return classes.find(({ columns }) => columns.includes(response)) ?? classes[0];
}

/** Where a total has each level: in its own column, or the first level as all rows minus those of the second. */
function membersOf(
  { levels, columns }: ResponseClasses,
  { layout }: LinearStatistic,
): ClassMembers[] {
  const first = layout.columns.length - layout.responses;
  if (columns.length === levels.length) {
    return levels.map((name, k) => ({ name, column: first + columns[k] }));
  }
  const second = first + columns[0];
  return [
    { name: levels[0], column: 0, less: second },
    { name: levels[1], column: second },
  ];
}

/** The fit's ridge penalty in the units of these equations; 0 for a lasso. */
function penaltyFor({ fit }: QueryInput, { equations }: WithinClasses): Float64Array {
  const { layout, equilibration } = fit.equations;
  const places = new Map(layout.columns.map((name, k) => [name, k - 1]));
  return Float64Array.from({ length: equations.predictors }, (_, j) => {
    const place = places.get(equations.layout.columns[j + 1]);
    if (place === undefined || fit.lasso !== undefined) return 0;
    return fit.penalty[place] * (equations.equilibration[j] / equilibration[place]) ** 2;
  });
}

/** Σ⁻¹ = this factor times the inverse of the scatter: the covariance is pooled over n − K rows. */
function precision({ equations, weights }: WithinClasses, rows: number): number {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return (all * (rows - equations.responses)) / rows;
}

function scores(within: WithinClasses, solution: Solution, rows: number): DiscriminantClass[] {
  const { equations, weights } = within;
  const { layout, matrix, equilibration, means } = equations;
  const factor = precision(within, rows);
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight, k) => {
    const target = equations.predictors + k;
    const prior = weight / all;
    let level = dd(Math.log(prior)); // computed from the rounded coefficients, to compensate their rounding
    let square = 0;
    const own: number[] = [];
    const coefficients = solution.kept.map((column, place) => {
      const { center, scale } = layout.references[column + 1];
      const beta = solution.coefficients[k].hi[place] * equilibration[column] * factor;
      const departure = matrix.hi[target * matrix.width + column] / equilibration[column];
      const slope = beta / scale;
      own.push(center + scale * (means.hi[column] + departure));
      const mean = ddAdd(dd(center), ddScale(ddAt(means, column), scale));
      level = ddSubtract(level, ddMultiply(dd(slope), mean));
      square += beta * departure;
      return slope;
    });
    return {
      level: layout.columns[target + 1],
      n: weight * (layout.weightScale ?? 1) ** 2,
      prior,
      means: own,
      constant: ddSubtract(level, dd(square / 2)).hi,
      coefficients,
    };
  });
}

/** Distance between two classes along the direction of the scores; under a ridge it is not the largest possible. */
function separation(
  within: WithinClasses,
  { kept, coefficients }: Solution,
  rows: number,
): { separation: Separation } | Record<string, never> {
  const { matrix, predictors } = within.equations;
  const direction = kept.map((_, j) => coefficients[1].hi[j] - coefficients[0].hi[j]);
  const [first, second] = [predictors, predictors + 1].map((target) => target * matrix.width);
  let between = 0;
  let spread = 0;
  kept.forEach((column, i) => {
    between += direction[i] * (matrix.hi[second + column] - matrix.hi[first + column]);
    const row = column * matrix.width;
    spread +=
      direction[i] * kept.reduce((s, other, j) => s + matrix.hi[row + other] * direction[j], 0);
  });
  const distance = between * Math.sqrt(precision(within, rows) / spread);
  if (!Number.isFinite(distance)) return {};
  return { separation: { distance, auc: normalUpperTail(-distance / Math.SQRT2) } };
}

/** Size, prior and means of each class, and the scores whose softmax is the posterior. */
export function discriminantText(answer: Discriminant, ink: Ink = plainInk): string {
  const { label, terms, classes, aliased, empty, ridge, separation } = answer;
  const names = ['', ...classes.map(({ level }) => level)];
  const column = (title: string, values: readonly number[]): string[] => [
    title,
    ...alignDecimals(values.map((value) => significant(value, 4))),
  ];
  const means = layOutBlocks(
    [
      names,
      ['rows', ...classes.map(({ n }) => (Number.isInteger(n) ? grouped(n) : significant(n, 4)))],
      column(
        'prior',
        classes.map(({ prior }) => prior),
      ),
      ...terms.map((term, j) =>
        column(
          term,
          classes.map((one) => one.means[j]),
        ),
      ),
    ],
    ink,
  );
  const scores = layOutBlocks(
    [
      ['', '(constant)', ...terms],
      ...classes.map(({ level, constant, coefficients }) =>
        column(level, [constant, ...coefficients]),
      ),
    ],
    ink,
  );
  const notes = [
    ridge > 0 ? `a ridge of ${significant(ridge)} is added to the scatter within classes` : '',
    aliased.length > 0 ? `left out as combinations of others: ${listed(aliased)}` : '',
    empty.length > 0 ? `levels without rows: ${listed(empty)}` : '',
    separation === undefined
      ? ''
      : `distance ${significant(separation.distance, 4)} SD; AUC ${significant(separation.auc, 4)} if the scores are normal, on the rows fitted`,
  ].filter((note) => note !== '');
  return [
    ink.bold(`Discriminant analysis of ${label}`),
    '',
    'Means of the classes',
    ...means,
    '',
    'Scores: the probability of a class is its share of exp(score)',
    ...scores,
    ...(notes.length > 0 ? ['', ...notes] : []),
  ].join('\n');
}

export const discriminantTopic: Topic<Discriminant> = {
  about: 'discriminant',
  needs: 'sums',
  sees: 'total',
  per: 'model',
  rare: true, // most models have no classes
  ask: (input) => discriminant(input),
  text: discriminantText,
};
