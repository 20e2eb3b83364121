import * as z from 'zod';
import type { Inquiry } from '../analysis/inquiry.ts';
import { ridgeFusion, studySchema } from '../study/schema.ts';
import type { CreateStudy, Offer, SealedWithdrawal } from './messages.ts';
import { question } from './question-schema.ts';

/** `deadline` of a study that collects again; absent, it collects until somebody closes it. */
export interface ReopenStudy {
  readonly deadline?: string;
}

export interface ExtendStudy {
  readonly deadline: string;
}

/** Asks for a new secret of a site, old or new. */
export interface InviteSite {
  readonly site: string;
  readonly expires?: string;
  /** Lets the site come back with another key, as after a lost disk. */
  readonly forgetKey?: boolean;
}

/** A site's own signed wish to leave, or the name of the site whoever runs the study takes out. */
export type WithdrawSite = { readonly withdrawal: SealedWithdrawal } | { readonly site: string };

export interface ResolveStudy {
  readonly includeLate: boolean;
}

/**
 * A site's name: 1–64 characters, none of them a control character or a slash; no space at
 * either end; not `.` or `..`.
 */
export const siteName: z.ZodType<string> = z
  .string()
  .regex(
    /^(?!\.{1,2}$)(?!\s)[^\p{Cc}\p{Cs}/\\]{1,64}(?<!\s)$/u,
    'a site’s name has 1–64 characters, no slash, no control character, no space at either end',
  );

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

/** A request without content: `{}`, or nothing at all. */
export const nothing: z.ZodType<Record<string, never>> = z.strictObject({});

export const createStudy: z.ZodType<CreateStudy> = z.strictObject({
  study: studySchema,
  sites: z
    .array(siteName)
    .min(1)
    .max(100_000)
    .refine((names) => new Set(names).size === names.length, 'two sites have the same name'),
  draft: z.boolean().optional(),
  invitationsExpire: time.optional(),
}) as unknown as z.ZodType<CreateStudy>;

export const reopenStudy: z.ZodType<ReopenStudy> = z.strictObject({
  deadline: time.optional(),
}) as unknown as z.ZodType<ReopenStudy>;

export const extendStudy: z.ZodType<ExtendStudy> = z.strictObject({ deadline: time });

export const inviteSite: z.ZodType<InviteSite> = z.strictObject({
  site: siteName,
  expires: time.optional(),
  forgetKey: z.boolean().optional(),
}) as unknown as z.ZodType<InviteSite>;

export const offer: z.ZodType<Offer> = z.strictObject({
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
}) as unknown as z.ZodType<Offer>;

const sealedWithdrawal = z.strictObject({
  schema: z.literal('suffice/withdrawal@1'),
  study: digest,
  site: siteName,
  sequence: z.int().positive(),
  seal,
});

export const withdrawSite: z.ZodType<WithdrawSite> = z.union([
  z.strictObject({ withdrawal: sealedWithdrawal }),
  z.strictObject({ site: siteName }),
]);

export const resolveStudy: z.ZodType<ResolveStudy> = z.strictObject({ includeLate: z.boolean() });

/** Everything that may be asked of a study that has resolved. */
export const analyseStudy: z.ZodType<Inquiry> = z.strictObject({
  method: ridgeFusion.optional(),
  without: z.array(z.string().min(1).max(1000)).max(1000).optional(),
  questions: z.array(question).max(100),
}) as unknown as z.ZodType<Inquiry>;
