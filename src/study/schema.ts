import * as z from 'zod';
import type { Codebook } from './codebook.ts';
import { DELTA_LIMIT } from './promise-doubts.ts';
import type { Study } from './study.ts';

const missing = z.array(z.string()).optional();

const levels = z
  .array(z.string())
  .min(1)
  .refine((texts) => new Set(texts).size === texts.length, 'levels must differ from each other');

const numberColumn = z.strictObject({
  type: z.literal('number'),
  unit: z.string().optional(),
  range: z
    .tuple([z.number(), z.number()])
    .refine(([low, high]) => low <= high, 'range must run from low to high')
    .optional(),
  center: z.number().optional(),
  scale: z.number().positive().optional(),
  sd: z.number().positive().optional(),
  levels: levels.optional(),
  missing,
  decimal: z.enum(['.', ',']).optional(),
});

const categoryColumn = z
  .strictObject({
    type: z.literal('category'),
    levels,
    baseline: z.string().optional(),
    missing,
  })
  .refine(
    ({ levels, baseline }) => baseline === undefined || levels.includes(baseline),
    'baseline must be one of the levels',
  );

const idColumn = z.strictObject({ type: z.literal('id'), missing });

const codebookSchema = z.record(
  z.string(),
  z.discriminatedUnion('type', [numberColumn, categoryColumn, idColumn]),
);

const share = z.number().gt(0).max(1);
const count = z.int().nonnegative();

const disclosureTerms = z.strictObject({
  profile: z.enum(['default', 'datashield', 'agency', 'none']).optional(),
  thresholds: z
    .strictObject({
      rows: count,
      columnShare: share,
      freedom: count,
      cell: count,
      dominance: z.tuple([share, share]),
      influence: share,
      noticeableLeverage: share,
      oneLevel: share,
      wholeRows: count,
      difference: count,
      epsilon: z.number().positive(),
    })
    .partial()
    .optional(),
});

const privacyTerms = z
  .strictObject({
    epsilon: z.number().positive().max(1000),
    delta: z
      .number()
      .gt(0)
      .lt(DELTA_LIMIT, `δ is the chance that the promise fails, and must be below ${DELTA_LIMIT}`),
    unit: z.enum(['row', 'person']),
    rowsPerPerson: z.int().positive().optional(),
    person: z.string().optional(),
    neighbours: z.enum(['add-remove', 'replace-one']).optional(),
    placement: z.enum(['central', 'local']).optional(),
    protects: z.enum(['rows', 'labels']).optional(),
    releases: z.int().positive().max(1000).optional(),
    rounds: z.int().min(0).max(5).optional(),
    expectedRows: z.int().positive().optional(),
    solver: z.enum(['cleaner', 'ridge', 'adassp']).optional(),
    refinement: z
      .strictObject({
        round: z.int().positive(),
        at: z.array(z.number()),
        total: z.base64(),
        noises: z.int().positive().optional(),
      })
      .optional(),
  })
  .refine(
    ({ unit, person, rowsPerPerson }) =>
      unit === 'person'
        ? person !== undefined && rowsPerPerson !== undefined
        : person === undefined && rowsPerPerson === undefined,
    'unit "person" needs person (a column of type id) and rowsPerPerson; unit "row" has neither',
  )
  .refine(
    ({ refinement, rounds = 0 }) => refinement === undefined || refinement.round <= rounds,
    'refinement.round must be one of the rounds',
  )
  .refine(
    ({ protects, rounds = 0 }) => protects !== 'labels' || rounds === 0,
    'with protects "labels" the first round is all there is to gain: leave out rounds',
  );

/** The shape of a ridge fusion in JSON: a study’s, or another look at one. */
export const ridgeFusion: z.ZodObject = z.strictObject({
  kind: z.literal('ridge'),
  ridge: z.union([
    z.number().nonnegative(),
    z.enum(['gcv', 'leave-one-site-out', 'k-fold', 'marginal-likelihood']),
  ]),
  standardize: z.boolean().optional(),
  folds: z.int().min(2).optional(),
  prefer: z.enum(['minimum', 'one-standard-error']).optional(),
  lasso: z
    .strictObject({
      lambda: z.union([z.number().nonnegative(), z.literal('leave-one-site-out')]),
      mix: z.number().gt(0).max(1).optional(),
    })
    .optional(),
  errors: z.enum(['classical', 'clustered']).optional(),
  siteEffects: z.enum(['fixed', 'random', 'random-ml']).optional(),
});

const glmFusion = z.strictObject({
  kind: z.enum(['glm', 'fisher']),
  family: z.enum(['binomial', 'poisson']),
  prior: z.union([z.literal('firth'), z.number().positive()]).optional(),
  at: z.record(z.string(), z.number()).optional(),
});

const estimateTerms = {
  ridge: z.number().nonnegative().optional(),
  covariance: z.boolean().optional(),
};
const averageFusion = z.strictObject({ kind: z.literal('average'), ...estimateTerms });
const fescFusion = z.strictObject({ kind: z.literal('fesc'), ...estimateTerms });

const projectionFeature = z.strictObject({
  kind: z.literal('projection'),
  dimension: z.int().min(1).max(5000),
  seed: z
    .int()
    .min(0)
    .max(2 ** 32 - 1),
});
/** Any feature map; with a second one, a union of them discriminated by `kind`. */
const feature = projectionFeature;

/** The shape of a study in JSON. */
export const studySchema: z.ZodType<Study> = z.strictObject({
  schema: z.literal('suffice/study@1'),
  name: z.string().min(1).max(100).optional(),
  formula: z.string().max(20_000),
  codebook: codebookSchema,
  weights: z.string().optional(),
  fusion: z.discriminatedUnion('kind', [ridgeFusion, glmFusion, averageFusion, fescFusion]),
  features: z.array(feature).max(1).optional(),
  arithmetic: z.enum(['exact', 'compact']),
  grid: z.union([z.literal(44), z.literal(66), z.literal(88)]).optional(),
  aggregation: z.strictObject({ kind: z.literal('plain') }).optional(),
  privacy: privacyTerms.nullable().optional(),
  disclosure: disclosureTerms.optional(),
  quorum: z
    .strictObject({
      sites: z.int().positive().optional(),
      deadline: z.iso.datetime().optional(),
    })
    .optional(),
  evaluation: z
    .strictObject({
      bins: z.int().min(2).max(1000),
      smallest: z.int().min(1).optional(),
    })
    .optional(),
}) as unknown as z.ZodType<Study>;

/** Checks a codebook read from JSON; throws a ZodError that names the key. */
export function parseCodebook(json: unknown): Codebook {
  return codebookSchema.parse(json) as Codebook;
}

/** Checks a study read from JSON; throws a ZodError that names the key. */
export function parseStudy(json: unknown): Study {
  return studySchema.parse(json);
}
