import * as z from 'zod';
import { heldTo } from '../study/held-schema.ts';
import {
  codebookSchema,
  disclosureTerms,
  evaluationTerms,
  feature,
  privacyTerms,
  quorumTerms,
} from '../study/schema.ts';
import type { Fusion, Study } from '../study/study.ts';
import { zodParts } from '../study/zod-parts.ts';
import { fusionSchemas } from './fusions.ts';

/** The terms of any fusion; each fusion holds its own schema to its type. */
const fusion = z.discriminatedUnion(
  'kind',
  fusionSchemas(zodParts),
) as z.ZodType as z.ZodType<Fusion>;

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
  aggregation: z.strictObject({ kind: z.literal('plain') }).optional(),
  privacy: privacyTerms.nullable().optional(),
  disclosure: disclosureTerms.optional(),
  quorum: quorumTerms.optional(),
  evaluation: evaluationTerms.optional(),
});
/** The JSON of a study. */
export const studySchema: z.ZodType<Study> = heldTo<Study>()(study, 'same');

/** Checks a study read from JSON; throws a ZodError that names the key. */
export function parseStudy(json: unknown): Study {
  return studySchema.parse(json);
}
