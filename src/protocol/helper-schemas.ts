import * as z from 'zod';
import { studySchema } from '../fusion/study-schema.ts';
import { assertSameJson } from '../study/same-json.ts';
import type { HelperDescription, Statements, SumAnswer, SumRequest } from './helper-messages.ts';
import { digest, publicKey, seal, sealedOpening, siteNameSchema, time } from './message-schemas.ts';
import type { ForHelper, LinkAnswer, LinkRequest } from './party-messages.ts';
import type { Sealed } from './signature.ts';

const count = z.int().nonnegative();
const sequence = z.int().positive();

const sumRequest = z.strictObject({
  schema: z.literal('suffice/sum-request@1'),
  study: studySchema,
  contributions: z
    .array(
      z.strictObject({
        site: siteNameSchema,
        sequence,
        mode: z.enum(['add', 'replace']),
        dropped: count,
        nonce: z.string().regex(/^[\w-]{43}$/),
        sealed: z.string().regex(/^[\w-]{64,1700}$/),
        data: digest,
        seal,
      }),
    )
    .min(1)
    .max(100_000),
  openings: z.array(sealedOpening).max(65_536).optional(),
});
assertSameJson<z.infer<typeof sumRequest>, SumRequest>('same');

const sealedText = z
  .string()
  .max(2 ** 30)
  .regex(/^[A-Za-z0-9+/]*={0,2}$/);

const sealedToHelper = {
  study: digest,
  party: siteNameSchema,
  keys: digest,
  box: z.string().regex(/^[\w-]{43}$/),
  body: sealedText,
  seal,
};
const forHelper = z.discriminatedUnion('schema', [
  z.strictObject({ schema: z.literal('suffice/party-tokens@1'), ...sealedToHelper }),
  z.strictObject({ schema: z.literal('suffice/party-count@1'), ...sealedToHelper }),
]);

export const forHelperSchema: z.ZodType<Sealed<ForHelper>> = forHelper;

const linkRequest = z.strictObject({
  schema: z.literal('suffice/link-request@1'),
  study: studySchema,
  tokens: z.array(forHelper).min(2).max(20),
});
assertSameJson<z.infer<typeof linkRequest>, LinkRequest>('same');

export const linkRequestSchema: z.ZodType<LinkRequest> = linkRequest;

export const linkAnswerSchema: z.ZodType<Sealed<LinkAnswer>> = z.strictObject({
  schema: z.literal('suffice/link-answer@1'),
  study: digest,
  set: digest,
  answers: z.record(siteNameSchema, sealedText),
  seal,
});

const statement = z.strictObject({
  schema: z.literal('suffice/statement@1'),
  study: digest,
  set: digest,
  sites: z.array(siteNameSchema),
  contributions: count,
  answeredAt: time,
  seal,
});

const sumAnswer = z.discriminatedUnion('schema', [
  z.strictObject({
    schema: z.literal('suffice/sum@1'),
    statement,
    sums: z
      .array(
        z.strictObject({
          contributions: count,
          sum: z
            .string()
            .regex(/^[A-Za-z0-9+/]*={0,2}$/)
            .refine(({ length }) => length % 4 === 0),
        }),
      )
      .min(1)
      .max(20),
    seal,
  }),
  z.strictObject({
    schema: z.literal('suffice/unusable@1'),
    study: digest,
    set: digest,
    unusable: z
      .array(z.strictObject({ site: siteNameSchema, sequence, why: z.string().max(500) }))
      .min(1),
    seal,
  }),
]);
assertSameJson<z.infer<typeof sumAnswer>, SumAnswer>('same');

const description = z.strictObject({
  schema: z.literal('suffice/helper@1'),
  keys: z.strictObject({
    x25519: publicKey,
    'x-wing': z.string().regex(/^[\w-]{1622}$/),
  }),
  signingKey: publicKey,
});
assertSameJson<z.infer<typeof description>, HelperDescription>('same');

const statements = z.strictObject({
  schema: z.literal('suffice/statements@1'),
  statements: z.array(statement),
});
assertSameJson<z.infer<typeof statements>, Statements>('same');

/** Schemas of the messages to and from a helper. */
export const sumRequestSchema: z.ZodType = sumRequest;
export const sumAnswerSchema: z.ZodType<SumAnswer> = sumAnswer;
export const helperDescriptionSchema: z.ZodType<HelperDescription> = description;
export const statementsSchema: z.ZodType<Statements> = statements;
