import type { Failure } from '../failure.ts';
import { criticalValue, twoSided } from '../model/errors.ts';
import { jointTailLog, waldSquare, waldTest } from '../model/wald.ts';
import { grouped, probability, significant } from '../text/number-text.ts';
import { type Ink, layOut, numberColumn } from '../text/text-table.ts';
import { type JointTest, jointTest } from './anova.ts';
import { combinations } from './combination.ts';
import { type Hypothesis, parseHypothesis } from './hypothesis.ts';
import type { QueryInput } from './query-input.ts';
import { hasVariances, noVariances, untestable } from './testable.ts';
import { testedColumns } from './tested-columns.ts';
import type { Asked, Topic } from './topic.ts';

/** Linear combinations of coefficients, tested one by one and, where there are several, together. */
export interface Contrast {
  readonly about: 'contrast';
  readonly rows: readonly {
    /** As in the question, such as `speciesChinstrap - speciesGentoo = 0`. */
    readonly contrast: string;
    readonly estimate: number;
    /** The tested value. */
    readonly against: number;
    readonly 'std.error': number;
    readonly statistic: number;
    readonly 'p.value': number;
    readonly 'conf.low': number;
    readonly 'conf.high': number;
  }[];
  /** Degrees of freedom of the rows' t; absent where the statistics are z. */
  readonly 'df.residual'?: number;
  /** All rows together, as car::linearHypothesis; absent where some rows follow from others. */
  readonly joint?: {
    readonly test: JointTest;
    readonly df: number;
    readonly 'df.residual'?: number;
    readonly statistic: number;
    readonly 'p.value': number;
  };
}

const CONFIDENCE = 0.95;

export interface ContrastQuestion extends Asked<'contrast'> {
  /** Hypotheses such as `x - z = 0`. */
  readonly of: readonly string[];
}

/** Tests the hypotheses, written over the names of the coefficient table. */
export function contrast(input: QueryInput, of: readonly string[]): Contrast | Failure {
  const { fit, response } = input;
  const refusal = untestable(input);
  if (refusal !== undefined) return refusal;
  if (of.length === 0) {
    return { problem: 'no contrast was given', remedy: 'write one like x - z = 0' };
  }
  const { terms } = fit.models[response];
  const names = [...terms, ...fit.aliased];
  const hypotheses: Hypothesis[] = [];
  for (const text of of) {
    const parsed = parseHypothesis(text, names, input.design);
    if ('problem' in parsed) return parsed;
    const lost = fit.aliased.find((_, k) => parsed.weights[terms.length + k] !== 0);
    if (lost !== undefined) {
      return {
        problem: `${lost} is a combination of other columns and has no coefficient of its own`,
        remedy: `the coefficients are ${terms.join(', ')}`,
      };
    }
    hypotheses.push({ ...parsed, weights: parsed.weights.slice(0, terms.length) });
  }
  const { estimates, errors } = combinations(
    fit,
    response,
    hypotheses.map(({ weights }) => weights),
  );
  if (errors === undefined) {
    return {
      problem: 'the errors of these coefficients are not known',
      remedy: 'ask for least squares with fewer columns',
    };
  }
  const { covariance, freedom } = errors;
  if (!hasVariances(covariance)) return noVariances;
  const width = criticalValue(CONFIDENCE, freedom);
  const rows = hypotheses.map(({ against }, k) => {
    const estimate = estimates[k];
    const error = Math.sqrt(covariance[k * of.length + k]);
    const statistic = (estimate - against) / error;
    return {
      contrast: of[k].includes('=') ? of[k].trim() : `${of[k].trim()} = 0`,
      estimate,
      against,
      'std.error': error,
      statistic,
      'p.value': twoSided(statistic, freedom),
      'conf.low': estimate - width * error,
      'conf.high': estimate + width * error,
    };
  });
  const square =
    of.length === 1
      ? undefined
      : waldSquare(
          rows.map(({ estimate, against }) => estimate - against),
          covariance,
        );
  const degrees = freedom === Number.POSITIVE_INFINITY ? {} : { 'df.residual': freedom };
  return {
    about: 'contrast',
    rows,
    ...degrees,
    ...(square === undefined
      ? {}
      : {
          joint: {
            test: jointTest(fit.errors?.[response]),
            ...waldTest(square, of.length, freedom),
            ...degrees,
          },
        }),
  };
}

/** One line per contrast, and the joint test below. */
export function contrastText({ rows, joint, 'df.residual': left }: Contrast, ink: Ink): string {
  const freedom = left ?? Number.POSITIVE_INFINITY;
  const lines = layOut(
    [
      ['', ...rows.map(({ contrast }) => contrast)],
      ...testedColumns(rows, left),
      numberColumn(
        '2.5 %',
        rows.map((row) => row['conf.low']),
      ),
      numberColumn(
        '97.5 %',
        rows.map((row) => row['conf.high']),
      ),
    ],
    ink,
  );
  if (joint !== undefined) {
    const p = probability(jointTailLog(joint.statistic, joint.df, freedom));
    lines.push(
      `All at once, ${joint.test}: ${significant(joint.statistic, 4)} on ${joint.df}` +
        `${left === undefined ? '' : ` and ${grouped(left)}`} DF,  p-value: ${p}`,
    );
  }
  const title = ink.bold(rows.length === 1 ? 'Linear hypothesis' : 'Linear hypotheses');
  return [title, ...lines].join('\n');
}

export const contrastTopic: Topic<Contrast, ContrastQuestion> = {
  about: 'contrast',
  needs: 'information',
  sees: 'total',
  per: 'response',
  carries: (z) => ({ of: z.array(z.string().min(1).max(2000)).min(1).max(100) }),
  ask: (input, { of }) => contrast(input, of),
  text: contrastText,
};
