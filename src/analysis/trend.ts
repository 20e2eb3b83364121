import type { Failure } from '../failure.ts';
import { twoSided } from '../model/errors.ts';
import type { Column } from '../study/codebook.ts';
import { type Ink, layOut } from '../text/text-table.ts';
import { combinations } from './combination.ts';
import { coefficientPlaces, findTerm, modelTerms } from './model-terms.ts';
import { orthogonalPolynomials } from './orthogonal-polynomials.ts';
import type { QueryInput } from './query-input.ts';
import { hasVariances, noVariances, untestable } from './testable.ts';
import { testedColumns } from './tested-columns.ts';
import type { Asked, Topic } from './topic.ts';

/**
 * Polynomial trends over the levels of a category in the codebook's order: R's contr.poly on its level effects, which
 * are the coefficients of an `ordered` factor in lm.
 */
export interface Trend {
  readonly about: 'trend';
  readonly term: string;
  /** The levels, equally spaced, in the order of the trend. */
  readonly levels: readonly string[];
  readonly rows: readonly {
    /** `.L`, `.Q`, `.C`, `^4`, … */
    readonly degree: string;
    readonly estimate: number;
    readonly 'std.error': number;
    readonly statistic: number;
    readonly 'p.value': number;
  }[];
  /** Degrees of freedom of t; absent where the statistics are z. */
  readonly 'df.residual'?: number;
}

/** R refuses contr.poly beyond this many levels. */
const MOST_LEVELS = 95;

export interface TrendQuestion extends Asked<'trend'> {
  readonly term: string;
}

/** The trends of a category that is a main effect. */
export function trend(input: QueryInput, term: string): Trend | Failure {
  const { fit, response, study, design } = input;
  const refusal = untestable(input);
  if (refusal !== undefined) return refusal;
  const found = findTerm(modelTerms(input), term, design);
  if ('problem' in found) return found;
  const { label, columns } = found;
  const levels = levelsOf(study.codebook[sourceOf(label)]);
  const place = (level: string): number[] => {
    const column = columns.find((index) => nameAt(input, index) === label + level);
    return column === undefined ? [] : [column];
  };
  const coded = levels.filter((level) => place(level).length > 0);
  if (coded.length !== columns.length || levels.length - coded.length > 1) {
    const categories = design.terms
      .filter((other) => levelsOf(study.codebook[sourceOf(other.label)]).length > 0)
      .map((other) => other.label);
    return {
      problem: `${label} is not a category, so it has no levels for a trend`,
      remedy:
        categories.length > 0
          ? `ask for ${categories.join(' or ')}`
          : 'none of the terms is a category',
    };
  }
  const places = levels.map((level) => coefficientPlaces(fit, place(level)));
  const empty = levels.find((level, k) => place(level).length > 0 && places[k].length === 0);
  if (empty !== undefined || levels.length > MOST_LEVELS) {
    return {
      problem:
        empty === undefined
          ? `${levels.length} levels are too many for polynomials (${MOST_LEVELS} at most)`
          : `level ${empty} of ${label} has no effect of its own in this model`,
      remedy: 'a trend needs a row at every level, and at most 95 levels',
    };
  }
  const width = fit.models[response].terms.length;
  const rows = orthogonalPolynomials(levels.length).map((polynomial) => {
    const row = new Array<number>(width).fill(0);
    places.forEach(([at], level) => {
      if (at !== undefined) row[at] = polynomial[level];
    });
    return row;
  });
  const { estimates, errors } = combinations(fit, response, rows);
  if (errors === undefined) {
    return {
      problem: 'the errors of these coefficients are not known',
      remedy: 'ask for least squares with fewer columns',
    };
  }
  const { covariance, freedom } = errors;
  if (!hasVariances(covariance)) return noVariances;
  return {
    about: 'trend',
    term: label,
    levels,
    rows: rows.map((_, k) => {
      const error = Math.sqrt(covariance[k * rows.length + k]);
      const statistic = estimates[k] / error;
      return {
        degree: ['.L', '.Q', '.C'][k] ?? `^${k + 1}`,
        estimate: estimates[k],
        'std.error': error,
        statistic,
        'p.value': twoSided(statistic, freedom),
      };
    }),
    ...(freedom === Number.POSITIVE_INFINITY ? {} : { 'df.residual': freedom }),
  };
}

/** The codebook column of a term such as `cp`, `factor(cp)` or a name in backticks. */
function sourceOf(label: string): string {
  return label.replace(/^factor\((.*)\)$/, '$1').replace(/^`(.*)`$/, '$1');
}

function levelsOf(column: Column | undefined): readonly string[] {
  return column?.levels ?? [];
}

function nameAt({ fit }: QueryInput, column: number): string {
  return fit.equations.layout.columns[column + 1];
}

/** The coefficients that R gives an ordered factor. */
export function trendText({ term, levels, rows, 'df.residual': left }: Trend, ink: Ink): string {
  const names = ['', ...rows.map(({ degree }) => `${term}${degree}`)];
  return [
    ink.bold(`Trend over ${term}: ${levels.join(' < ')}`),
    ...layOut([names, ...testedColumns(rows, left)], ink),
  ].join('\n');
}

export const trendTopic: Topic<Trend, TrendQuestion> = {
  about: 'trend',
  needs: 'information',
  sees: 'total',
  per: 'response',
  carries: (z) => ({ term: z.string().min(1).max(1000) }),
  ask: (input, { term }) => trend(input, term),
  text: trendText,
};
