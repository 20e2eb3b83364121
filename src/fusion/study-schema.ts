import * as z from 'zod';
import { aggregationSchemas } from '../aggregation/aggregations.ts';
import { heldTo } from '../study/held-schema.ts';
import {
  codebookSchema,
  disclosureTerms,
  evaluationTerms,
  feature,
  privacyTerms,
  quorumTerms,
} from '../study/schema.ts';
import type { Fusion, Study, TableStudy } from '../study/study.ts';
import { zodParts } from '../study/zod-parts.ts';
import { fusionSchemas } from './fusions.ts';

/** The terms of any fusion; each fusion holds its own schema to its type. */
const fusion = z.discriminatedUnion(
  'kind',
  fusionSchemas(zodParts),
) as z.ZodType as z.ZodType<Fusion>;

/** The terms of any aggregation. */
const aggregation = anyOf(aggregationSchemas(zodParts)) as z.ZodType as z.ZodType<
  NonNullable<Study['aggregation']>
>;

/** One schema as it is, so that its refusals are its own; several by their kind. */
function anyOf([first, ...rest]: [z.ZodObject, ...z.ZodObject[]]): z.ZodType {
  return rest.length === 0 ? first : z.discriminatedUnion('kind', [first, ...rest]);
}

const study = z.strictObject({
  schema: z.literal('suffice/study@1'),
  name: z.string().min(1).max(100).optional(),
  formula: z.string().max(20_000),
  codebook: codebookSchema,
  weights: z.string().optional(),
  fusion,
  features: z.array(feature).max(1).optional(),
  arithmetic: z.enum(['exact', 'compact']),
  grid: z.union([z.literal(44), z.literal(66), z.literal(88)]).optional(),
  aggregation: aggregation.optional(),
  privacy: privacyTerms.nullable().optional(),
  disclosure: disclosureTerms.optional(),
  quorum: quorumTerms.optional(),
  evaluation: evaluationTerms.optional(),
});
/** The JSON of a study. */
export const studySchema: z.ZodType<Study> = heldTo<TableStudy>()(study, 'same');

/** Checks a study read from JSON; throws a ZodError that names the key. */
export function parseStudy(json: unknown): Study {
  return studySchema.parse(json);
}
