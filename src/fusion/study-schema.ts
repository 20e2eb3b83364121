import * as z from 'zod';
import { aggregationSchemas, partitionSchema } from '../aggregation/aggregations.ts';
import { featureSchemas } from '../features/feature-schemas.ts';
import { imageDataSchema } from '../study/image-study.ts';
import { typedAs } from '../study/same-json.ts';
import {
  codebookSchema,
  disclosureTerms,
  evaluationTerms,
  parentsTerms,
  privacyTerms,
  quorumTerms,
} from '../study/schema.ts';
import { LONGEST_FORMULA } from '../study/spelled-formula.ts';
import type { Feature, Fusion, Study, TableStudy } from '../study/study.ts';
import { zodFields } from '../study/zod-fields.ts';
import { fusionSchemas, inputShapes } from './fusions.ts';

/** The terms of any fusion; each fusion checks its own schema against its type. */
const fusion = z.discriminatedUnion(
  'kind',
  fusionSchemas(zodFields),
) as z.ZodType as z.ZodType<Fusion>;

/** The terms of any aggregation. */
const aggregation = anyOf(aggregationSchemas(zodFields)) as z.ZodType as z.ZodType<
  NonNullable<Study['aggregation']>
>;

/** A single schema unchanged, for its own error messages; several as a union by kind. */
function anyOf([first, ...rest]: [z.ZodObject, ...z.ZodObject[]]): z.ZodType {
  return rest.length === 0 ? first : z.discriminatedUnion('kind', [first, ...rest]);
}

const features = z
  .array(anyOf(featureSchemas(zodFields)) as z.ZodType as z.ZodType<Feature>)
  .max(1);

const terms = {
  arithmetic: z.enum(['exact', 'compact']),
  grid: z.union([z.literal(22), z.literal(44), z.literal(66), z.literal(88)]).optional(),
  aggregation: aggregation.optional(),
  privacy: privacyTerms.nullable().optional(),
  disclosure: disclosureTerms.optional(),
  quorum: quorumTerms.optional(),
  evaluation: evaluationTerms.optional(),
  parents: parentsTerms.optional(),
};
const heading = {
  schema: z.literal('suffice/study@1'),
  name: z.string().min(1).max(100).optional(),
};

const tables = z.strictObject({
  ...heading,
  formula: z.string().max(LONGEST_FORMULA),
  codebook: codebookSchema,
  weights: z.string().optional(),
  fusion,
  features: features.optional(),
  partition: (
    partitionSchema(zodFields) as z.ZodType as z.ZodType<NonNullable<TableStudy['partition']>>
  ).optional(),
  ...terms,
});

const images = z.strictObject({
  ...heading,
  data: imageDataSchema(zodFields),
  features: features.optional(),
  fusion,
  ...terms,
}) as z.ZodType as z.ZodType<Study>;

/** Studies of tables, of images, and of fusions that read something else. */
const tableSchema: z.ZodType<Study> = typedAs<Omit<TableStudy, 'image'>>()(tables, 'same');
const otherSchemas: readonly z.ZodType<Study>[] = inputShapes(zodFields).map(
  (input) =>
    z.strictObject({ ...heading, ...input, fusion, ...terms }) as z.ZodType as z.ZodType<Study>,
);

/** The JSON of a study. */
export const studySchema: z.ZodType<Study> = z.union([tableSchema, images, ...otherSchemas]);

/** Checks a study read from JSON; throws a ZodError that names the key. */
export function parseStudy(json: unknown): Study {
  return schemaFor(json).parse(json);
}

/** A union would not name the wrong key, so the study's own kind of input decides. */
function schemaFor(json: unknown): z.ZodType<Study> {
  if (typeof json !== 'object' || json === null) return studySchema;
  if ('formula' in json) return tableSchema;
  const isImages =
    'data' in json &&
    typeof json.data === 'object' &&
    json.data !== null &&
    'kind' in json.data &&
    json.data.kind === 'images';
  return isImages ? images : studySchema;
}
