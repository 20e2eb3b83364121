import type { Failure } from '../failure.ts';
import type { ResponseClasses } from '../features/design.ts';
import { type ClassScore, classScores, precision } from '../model/class-scores.ts';
import { normalUpperTail } from '../numeric/distributions.ts';
import { classMembers, whyNoScores } from '../solve/class-members.ts';
import { leastSquares } from '../solve/least-squares.ts';
import type { Solution } from '../solve/solution.ts';
import { type WithinClasses, withinClasses } from '../solve/within-classes.ts';
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
  readonly classes: readonly ClassScore[];
  /** Levels without rows, which have no posterior. */
  readonly empty: readonly string[];
  /** How far apart two classes are; absent with more. */
  readonly separation?: Separation;
}

export interface Separation {
  /** Distance of the two means along the scores, in standard deviations within classes. */
  readonly distance: number;
  /** Area under the ROC curve if the scores are normal in both classes: Φ(distance / √2); on the rows fitted. */
  readonly auc: number;
}

/** Discriminant analysis of a category among the responses; `label` where there are several. */
export function discriminant(input: QueryInput, label?: string): Discriminant | Failure {
  const { total } = input;
  const classes = chosen(input, label);
  if (classes === undefined) {
    return {
      problem: label === undefined ? 'no response is a category' : `${label} is not a category`,
      remedy: 'put a category before "~", such as species ~ x, or a comparison: I(y > 0) ~ x',
    };
  }
  const { present, empty } = classMembers(classes, total);
  const lacking = whyNoScores(classes.label, present.length, total);
  if (lacking !== undefined) return lacking;
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
    classes: classScores(within, solution),
    empty,
    ...(present.length === 2 ? separation(within, solution) : {}),
  };
}

/** The named category, or that of the response in question, or the first. */
function chosen({ design, response }: QueryInput, label?: string): ResponseClasses | undefined {
  const { classes } = design;
  if (label !== undefined) return classes.find((one) => one.label === label);
  return classes.find(({ columns }) => columns.includes(response)) ?? classes[0];
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

/** Distance between two classes along the direction of the scores; under a ridge it is not the largest possible. */
function separation(
  within: WithinClasses,
  { kept, coefficients }: Solution,
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
  const distance = between * Math.sqrt(precision(within) / spread);
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
