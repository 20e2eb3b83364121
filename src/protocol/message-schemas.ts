import * as z from 'zod';
import { studySchema } from '../fusion/study-schema.ts';
import { hiddenCharacters } from '../study/hidden-characters.ts';
import { assertSameJson } from '../study/same-json.ts';
import { hiddenCharacter } from '../text/visible-text.ts';
import type { SealedMaskKeys, SealedMaskSurvivors } from './mask-messages.ts';
import type { Requests } from './messages.ts';
import type { SealedOpening } from './opening-messages.ts';
import { PART_BYTES, partySteps } from './party-messages.ts';

/** The types that the schemas of a record accept. */
export type Inferred<Schemas extends Readonly<Record<string, z.ZodType>>> = {
  readonly [Name in keyof Schemas]: z.infer<Schemas[Name]>;
};

/**
 * A site's name: 1–64 characters, no control character, no slash, no space at either end; not `.`
 * or `..`.
 */
export const siteNameSchema: z.ZodType<string> = z
  .string()
  .regex(
    /^(?!\.{1,2}$)(?!\s)[^\p{Cc}\p{Cs}/\\]{1,64}(?<!\s)$/u,
    'a site’s name has 1–64 characters, no slash, no control character, no space at either end',
  );

/** The name of a new site: it also has no character that nobody can see. Names of earlier versions may have some. */
const newSiteName = siteNameSchema.refine((name) => hiddenCharacter(name, 'name') === undefined, {
  error: ({ input }) =>
    `a site’s name has the hidden character ${hiddenCharacter(String(input), 'name')}`,
});

/** An ISO 8601 time in UTC. */
export const time: z.ZodType<string> = z.iso.datetime();

/** SHA-256, as `sha256:` and 64 hex digits. */
export const digest: z.ZodType<string> = z.string().regex(/^sha256:[0-9a-f]{64}$/);

/** An Ed25519 public key. */
export const publicKey: z.ZodType<string> = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

export const seal: z.ZodType<{ key: string; signature: string }> = z.strictObject({
  key: publicKey,
  signature: z.string().regex(/^[A-Za-z0-9_-]{86}$/),
});

const sealedWithdrawal = z.strictObject({
  schema: z.literal('suffice/withdrawal@1'),
  study: digest,
  site: siteNameSchema,
  sequence: z.int().positive(),
  seal,
});

/** A site's word that its contributions may be opened. */
export const sealedOpening: z.ZodType<SealedOpening> = z.strictObject({
  schema: z.literal('suffice/opening@1'),
  study: digest,
  site: siteNameSchema,
  contributions: z
    .array(z.strictObject({ sequence: z.int().positive(), digest }))
    .min(1)
    .max(10_000),
  seal,
});

/** A new study: all of its texts can be seen. */
const newStudy = studySchema.superRefine((study, context) => {
  for (const { path, problem } of hiddenCharacters(study)) {
    context.addIssue({ code: 'custom', path: [...path], message: problem });
  }
});

/** 32 bytes as base64url. */
const bytes32: z.ZodType<string> = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

/** A text for each of some sites. */
export const maskShares: z.ZodType<Readonly<Record<string, string>>> = z.record(
  siteNameSchema,
  z.string().regex(/^[A-Za-z0-9_-]{1,200}$/),
);
const ofSite = { study: digest, site: siteNameSchema, seal };

export const maskKeys: z.ZodType<SealedMaskKeys> = z.strictObject({
  schema: z.literal('suffice/mask-keys@1'),
  ...ofSite,
  box: bytes32,
  pair: bytes32,
  own: bytes32,
});

export const maskSurvivors: z.ZodType<SealedMaskSurvivors> = z.strictObject({
  schema: z.literal('suffice/mask-survivors@1'),
  ...ofSite,
  view: digest,
});

const maskMessage = z.union([
  maskKeys,
  z.strictObject({
    ...{ schema: z.literal('suffice/mask-shares@1'), ...ofSite, graph: digest },
    shares: maskShares,
  }),
  maskSurvivors,
  z.strictObject({
    ...{ schema: z.literal('suffice/mask-reveals@1'), ...ofSite, view: digest },
    ...{ own: maskShares, pair: maskShares },
  }),
]);

/** Base64 of one part of a party's message. */
export const partBody: z.ZodType<string> = z
  .string()
  .max(4 * Math.ceil(PART_BYTES / 3))
  .regex(/^[A-Za-z0-9+/]*={0,2}$/);

const partyPart = z.strictObject({
  schema: z.literal('suffice/party-part@1'),
  step: z.enum(partySteps),
  to: z.union([z.literal(''), siteNameSchema]),
  part: z.int().nonnegative(),
  parts: z.int().positive().max(10_000),
  body: partBody,
});

const requests = {
  Study: studySchema,
  CreateStudy: z.strictObject({
    study: newStudy,
    sites: z
      .array(newSiteName)
      .max(100_000)
      .refine((names) => new Set(names).size === names.length, 'two sites have the same name'),
    draft: z.boolean().optional(),
    invitationsExpire: time.optional(),
    open: z
      .strictObject({
        atMost: z.int().positive().max(10_000_000).optional(),
        ends: time.optional(),
      })
      .optional(),
    parent: z.string().max(2000).optional(),
  }),
  ReopenStudy: z.strictObject({ deadline: time.optional() }),
  ExtendStudy: z.strictObject({ deadline: time }),
  RenewParent: z.strictObject({ parent: z.string().max(2000) }),
  InviteSite: z.strictObject({
    site: siteNameSchema,
    expires: time.optional(),
    forgetKey: z.boolean().optional(),
  }),
  EnrolDevice: z.strictObject({
    schema: z.literal('suffice/enrolment@1'),
    study: digest,
    seal,
  }),
  Offer: z.strictObject({
    key: publicKey,
    columns: z
      .array(
        z.strictObject({
          name: z.string().max(1000),
          found: z.enum(['number', 'text', 'empty', 'absent']),
          unknownTexts: z.int().nonnegative(),
          range: z.enum(['inside', 'outside', 'not-a-number']),
          suspicion: z
            .enum([
              'a thousand times too large',
              'a thousand times too small',
              'a hundred times too large',
              'a hundred times too small',
              'ten times too large',
              'ten times too small',
            ])
            .optional(),
        }),
      )
      .max(100_000),
  }),
  WithdrawSite: z.union([
    z.strictObject({ withdrawal: sealedWithdrawal }),
    z.strictObject({ site: siteNameSchema }),
  ]),
  AgreeToOpen: z.strictObject({ opening: sealedOpening }),
  ResolveStudy: z.strictObject({ includeLate: z.boolean() }),
  MaskMessage: maskMessage,
  PartyPart: partyPart,
  /** A request without content: `{}`, or an empty body. */
  Nothing: z.strictObject({}),
};
assertSameJson<Inferred<typeof requests>, Requests>('same');

/** Schemas of the requests to a coordinator, by name. */
export const requestSchemas: Readonly<Record<keyof Requests, z.ZodType>> = requests;
