import * as z from 'zod';
import { assertSameJson } from '../study/same-json.ts';
import type { Answer, Answered, Declined } from './question.ts';
import type { AnswerOf, TopicName, Topics } from './topics.ts';

const text = z.string().max(100_000);
const number = z.number();
const maybe = number.optional();
const texts = z.array(text);
const numbers = z.array(number);
const test = z.enum(['F', 'Wald F', 'Wald chi-square', 'likelihood ratio']);

const nested = z.object({
  terms: texts,
  'df.residual': number,
  deviance: maybe,
  'r.squared': maybe,
  'adj.r.squared': maybe,
  AIC: maybe,
  BIC: maybe,
});

const estimated = { estimate: number, 'std.error': number, statistic: number, 'p.value': number };

/** The JSON of an answer on each topic. */
const answers = {
  anova: z.object({
    about: z.literal('anova'),
    test,
    rows: z.array(
      z.object({
        term: text,
        df: number,
        sumsq: maybe,
        meansq: maybe,
        statistic: maybe,
        'p.value': maybe,
      }),
    ),
  }),
  description: z
    .object({
      about: z.literal('description'),
      n: number,
      columns: z.array(z.object({ column: text, mean: number, sd: number })),
      correlations: z.array(z.array(number.nullable())),
    })
    .refine(({ columns, correlations }) => isSquare(correlations, columns.length)),
  standardized: z.object({
    about: z.literal('standardized'),
    terms: z.array(z.object({ term: text, estimate: number, 'std.error': maybe, perSd: number })),
  }),
  'partial-correlations': z.object({
    about: z.literal('partial-correlations'),
    terms: z.array(z.object({ term: text, partial: number, part: number, 'p.value': number })),
    'df.residual': number,
  }),
  collinearity: z.object({
    about: z.literal('collinearity'),
    terms: z.array(z.object({ term: text, df: number, gvif: number, scaled: number })),
    indices: z.array(
      z.object({ eigenvalue: number, index: number, shares: z.record(text, number) }),
    ),
  }),
  components: z
    .object({
      about: z.literal('components'),
      columns: texts,
      components: z.array(
        z.object({ sd: number, proportion: number, cumulative: number, loadings: numbers }),
      ),
    })
    .refine(({ columns, components }) =>
      components.every(({ loadings }) => loadings.length === columns.length),
    ),
  covariance: z
    .object({
      about: z.literal('covariance'),
      errors: text,
      terms: texts,
      matrix: z.array(numbers),
    })
    .refine(({ terms, matrix }) => isSquare(matrix, terms.length)),
  discriminant: z
    .object({
      about: z.literal('discriminant'),
      label: text,
      terms: texts,
      aliased: texts,
      ridge: number,
      classes: z.array(
        z.object({
          level: text,
          n: number,
          prior: number,
          means: numbers,
          constant: number,
          coefficients: numbers,
        }),
      ),
      empty: texts,
      separation: z.object({ distance: number, auc: number }).optional(),
    })
    .refine(({ terms, classes }) =>
      classes.every(
        ({ means, coefficients }) =>
          means.length === terms.length && coefficients.length === terms.length,
      ),
    ),
  path: z
    .object({
      about: z.literal('path'),
      kind: z.enum(['ridge', 'lasso']),
      terms: texts,
      points: z.array(
        z.object({
          penalty: number,
          intercept: maybe,
          coefficients: numbers,
          edf: number,
          'r.squared': number,
          gcv: maybe,
        }),
      ),
      scales: numbers,
    })
    .refine(
      ({ terms, points, scales }) =>
        scales.length === terms.length &&
        points.every(({ coefficients }) => coefficients.length === terms.length),
    ),
  heterogeneity: z.object({
    about: z.literal('heterogeneity'),
    chow: z
      .object({ statistic: number, df: number, 'df.residual': number, 'p.value': number })
      .optional(),
    cochran: z.object({ Q: number, df: number, 'p.value': number }).optional(),
    terms: z.array(
      z.object({
        term: text,
        estimate: number,
        'std.error': number,
        Q: number,
        df: number,
        'p.value': number,
        I2: number,
        tau2: number,
        sites: z.array(z.object({ site: text, estimate: number, 'std.error': number })),
      }),
    ),
    without: z.array(z.object({ site: text, reason: text })),
  }),
  influence: z
    .object({
      about: z.literal('influence'),
      terms: texts,
      sites: z.array(
        z.object({
          site: text,
          n: number,
          changes: z.array(number.nullable()),
          largest: z.object({ term: text, change: number }).optional(),
          cook: maybe,
        }),
      ),
    })
    .refine(({ terms, sites }) => sites.every(({ changes }) => changes.length === terms.length)),
  coverage: z.object({
    about: z.literal('coverage'),
    alpha: number,
    rank: number,
    columns: number,
    sites: z.array(z.object({ site: text, n: number, alpha: number, rank: number })),
    alone: z.array(
      z.object({
        site: text,
        share: number,
        direction: z.array(z.object({ term: text, weight: number })),
      }),
    ),
    uncovered: texts,
    bound: z.object({ bias: number, noise: number, confidence: number }).optional(),
  }),
  sanity: z.object({
    about: z.literal('sanity'),
    flags: z.array(
      z.object({
        site: text,
        kind: z.enum(['impossible', 'rows', 'scale', 'location', 'constant', 'sign', 'fit']),
        column: text.optional(),
        evidence: text,
        advice: text,
      }),
    ),
  }),
  comparison: z.object({
    about: z.literal('comparison'),
    without: texts,
    test,
    df: number,
    'df.residual': maybe,
    statistic: number,
    'p.value': number,
    full: nested,
    reduced: nested,
  }),
  contrast: z.object({
    about: z.literal('contrast'),
    rows: z.array(
      z.object({
        contrast: text,
        against: number,
        ...estimated,
        'conf.low': number,
        'conf.high': number,
      }),
    ),
    'df.residual': maybe,
    joint: z
      .object({ test, df: number, 'df.residual': maybe, statistic: number, 'p.value': number })
      .optional(),
  }),
  trend: z.object({
    about: z.literal('trend'),
    term: text,
    levels: texts,
    rows: z.array(z.object({ degree: text, ...estimated })),
    'df.residual': maybe,
  }),
  prediction: z.object({
    about: z.literal('prediction'),
    at: z.record(text, z.union([number, text])),
    level: number,
    fitted: number,
    link: maybe,
    'std.error': maybe,
    'conf.low': maybe,
    'conf.high': maybe,
    'pred.low': maybe,
    'pred.high': maybe,
    leverage: maybe,
    averageLeverage: maybe,
  }),
};
assertSameJson<
  { [Name in keyof typeof answers]: z.infer<(typeof answers)[Name]> },
  { [Name in TopicName]: AnswerOf<Topics[Name]> }
>('same');

function isSquare(rows: readonly (readonly unknown[])[], width: number): boolean {
  return rows.length === width && rows.every((row) => row.length === width);
}

const asked = z.object({ response: text.optional() });
const declined = asked.extend({ about: text, problem: text, advice: text });
const schemas: Readonly<Record<string, z.ZodType>> = answers;

/**
 * An answer from elsewhere. One that is not whole, or on a topic that this version does not know, becomes a question
 * without an answer. A file may be short of a number without a fault: JSON holds no infinite ones.
 */
export function answerFromJson(json: unknown): Answered {
  const refused = declined.safeParse(json);
  if (refused.success) return refused.data as Declined;
  const named = z.object({ about: text }).safeParse(json);
  const about = named.success ? named.data.about : 'a question';
  const schema = Object.hasOwn(schemas, about) ? schemas[about] : undefined;
  const answer = schema?.safeParse(json);
  const { success, data } = asked.safeParse(json);
  if (answer?.success && success)
    return { ...(answer.data as Answer), ...(data as Pick<Declined, 'response'>) };
  return {
    about,
    problem: 'the file does not hold the whole answer',
    advice: 'ask the question again',
  };
}
