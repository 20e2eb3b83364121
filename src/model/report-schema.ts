import * as z from 'zod';
import { typedAs } from '../study/same-json.ts';
import type { Report } from './report.ts';
import { reportedFeatures } from './reported-features.ts';

/** Longest text in a report: a formula, the name of a coefficient, a reason. */
const LONGEST = 100_000;
/** Most coefficients, sites or points of a curve in a report. */
const MOST = 1_000_000;

const text = z.string().max(LONGEST);
const number = z.number();
const maybe = number.optional();
const many = <Item extends z.ZodType>(item: Item) => z.array(item).max(MOST);

const termRow = z.object({
  term: text,
  estimate: number,
  'std.error': maybe,
  statistic: maybe,
  'p.value': maybe,
  'conf.low': maybe,
  'conf.high': maybe,
  vif: maybe,
});

const originalRow = termRow.pick({ term: true, estimate: true, 'std.error': true });

const glance = z.object({
  'r.squared': maybe,
  'adj.r.squared': maybe,
  sigma: maybe,
  statistic: maybe,
  'p.value': maybe,
  df: maybe,
  logLik: maybe,
  AIC: maybe,
  BIC: maybe,
  deviance: maybe,
  'null.deviance': maybe,
  'df.residual': maybe,
  nobs: number,
});

const siteLine = z.object({
  name: text,
  n: maybe,
  dropped: maybe,
  missing: z.record(text, number).optional(),
});

const siteEffects = z.object({
  kind: z.enum(['fixed', 'random', 'random-ml']),
  statistic: number,
  df: number,
  'df.residual': maybe,
  'p.value': number,
  variance: maybe,
  icc: maybe,
  logLik: maybe,
  sites: many(z.object({ site: text, estimate: number, 'std.error': maybe })),
});

const refinement = z.object({
  round: number,
  at: many(number),
  total: z.string(),
  noises: maybe,
});

const privacy = z.object({
  epsilon: number,
  delta: number,
  mu: number,
  unit: z.enum(['row', 'person']),
  rowsPerPerson: maybe,
  neighbours: z.enum(['add-remove', 'replace-one']),
  placement: z.enum(['central', 'local', 'aggregators']),
  protects: z.enum(['rows', 'labels']),
  spent: z.object({ mu: number, epsilon: number }),
  round: maybe,
  rounds: maybe,
  sigma: z.object({ gram: number, moment: number, square: number, count: number }),
  noises: number,
  solver: z.enum(['cleaner', 'ridge', 'adassp']),
  kept: number,
  range: z.tuple([number, number]),
  clipped: maybe,
  forecast: z
    .object({ expectedExcess: number, verdict: z.enum(['one-shot', 'warn', 'refuse']) })
    .optional(),
  withoutErrors: text.optional(),
  next: refinement.optional(),
});

const report = z.object({
  schema: z.literal('suffice/report@1'),
  formula: text,
  n: number,
  sites: many(siteLine),
  terms: many(termRow).optional(),
  glance: glance.optional(),
  original: many(originalRow).optional(),
  responses: many(
    z.object({
      response: text,
      terms: many(termRow),
      glance,
      original: many(originalRow).optional(),
    }),
  ).optional(),
  classes: many(
    z.object({
      label: text,
      levels: many(z.object({ level: text, n: maybe, constant: number, weights: many(number) })),
    }),
  ).optional(),
  fused: z.object({ kind: text, text }).optional(),
  classifier: z
    .discriminatedUnion('kind', [
      z.object({
        kind: z.enum(['discriminant', 'naive-bayes']),
        shrinkage: number,
        rule: text,
        flat: z.tuple([number, number]).optional(),
      }),
      z.object({ kind: z.literal('softmax') }),
    ])
    .optional(),
  ridge: z
    .object({
      value: number,
      rule: text,
      edf: maybe,
      gcv: maybe,
      flat: z.tuple([number, number]).optional(),
      minimum: maybe,
    })
    .optional(),
  selection: many(z.object({ ridge: number, score: number, error: maybe })).optional(),
  alternative: z
    .object({ kept: text, scores: many(z.object({ term: text, score: number })) })
    .optional(),
  lasso: z.object({ lambda: number, mix: number, rule: text, nonzero: number }).optional(),
  errors: z
    .enum([
      'classical',
      'widened',
      'clustered',
      'HC0',
      'HC1',
      'ignoring-bias',
      'noise-aware',
      'between-sites',
      'within-sites',
    ])
    .optional(),
  freedom: z.union([number, z.literal('normal')]).optional(),
  siteEffects: siteEffects.optional(),
  disagreement: z.object({ test: z.enum(['Chow', 'Cochran']), 'p.value': number }).optional(),
  flags: many(
    z.object({ site: text, kind: text, column: text.optional(), evidence: text, advice: text }),
  ).optional(),
  deviation: z
    .object({
      steps: number,
      estimate: number,
      converged: z.boolean().optional(),
      startLogLik: maybe,
      measured: maybe,
      advice: text,
    })
    .optional(),
  separated: many(text).optional(),
  family: z.enum(['binomial', 'poisson']).optional(),
  privacy: privacy.optional(),
  estimates: z
    .object({
      kind: z.enum(['average', 'fesc']),
      weights: many(z.object({ site: text, n: number, weight: number })),
      bytes: number,
      exactBytes: number,
    })
    .optional(),
  ...reportedFeatures,
  condition: maybe,
  digits: maybe,
  rounded: many(text).optional(),
  arithmetic: text,
  grid: number,
  aliased: many(text),
  digest: text,
});

/** The JSON of a report, whole. Keys that this version does not know are left out. */
export const reportSchema: z.ZodType<Report> = typedAs<Report>()(report, 'same');
