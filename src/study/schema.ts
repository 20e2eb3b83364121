import * as z from 'zod';
import type { CategoryColumn, Codebook, IdColumn, NumberColumn } from './codebook.ts';
import { DELTA_LIMIT } from './promise-doubts.ts';
import { typedAs } from './same-json.ts';
import type {
  DisclosureTerms,
  EvaluationTerms,
  ParentStudy,
  PrivacyTerms,
  Quorum,
} from './study.ts';

const missing = z.array(z.string()).optional();

/** Most levels of a column: more are an id, or a text that nobody has coded. */
const MOST_LEVELS = 10_000;

const levels = z
  .array(z.string())
  .min(1)
  .max(MOST_LEVELS, `a column has at most ${MOST_LEVELS} levels: merge rare ones, or leave it out`)
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

const codebookShape = z.record(
  z.string(),
  z.discriminatedUnion('type', [numberColumn, categoryColumn, idColumn]),
);

const share = z.number().gt(0).max(1);
const count = z.int().nonnegative();

const disclosureShape = z.strictObject({
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

const privacyShape = z
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
    placement: z.enum(['central', 'local', 'aggregators']).optional(),
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
    'with protects "labels" further rounds gain nothing: leave out rounds',
  );

const quorumShape = z.strictObject({
  sites: z.int().positive().optional(),
  deadline: z.iso.datetime().optional(),
});

const evaluationShape = z.strictObject({
  bins: z.int().min(2).max(1000),
  smallest: z.int().min(1).optional(),
});

/** Most levels above a region. */
const MOST_PARENTS = 8;

const parentShape = z.strictObject({
  study: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  site: z.string().min(1).max(64),
  coordinator: z
    .string()
    .max(500)
    .regex(/^https?:\/\/[^\s#?]+$/),
  coordinatorKey: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
});

/** A codebook in JSON: an id column has no key for levels. */
type CodebookJson = Readonly<
  Record<string, NumberColumn | CategoryColumn | Omit<IdColumn, 'levels'>>
>;

export const codebookSchema: z.ZodType<Codebook> = typedAs<CodebookJson>()(codebookShape, 'same');

export const disclosureTerms: z.ZodType<DisclosureTerms> = typedAs<DisclosureTerms>()(
  disclosureShape,
  'same',
);

export const privacyTerms: z.ZodType<PrivacyTerms> = typedAs<PrivacyTerms>()(privacyShape, 'same');

export const quorumTerms: z.ZodType<Quorum> = typedAs<Quorum>()(quorumShape, 'same');

export const evaluationTerms: z.ZodType<EvaluationTerms> = typedAs<EvaluationTerms>()(
  evaluationShape,
  'same',
);

const parentTerms: z.ZodType<ParentStudy> = typedAs<ParentStudy>()(parentShape, 'same');

export const parentsTerms: z.ZodType<readonly ParentStudy[]> = z
  .array(parentTerms)
  .min(1)
  .max(MOST_PARENTS, `a region has at most ${MOST_PARENTS} levels above it`);

/** Checks a codebook read from JSON; throws a ZodError that names the key. */
export function parseCodebook(json: unknown): Codebook {
  return codebookSchema.parse(json);
}
