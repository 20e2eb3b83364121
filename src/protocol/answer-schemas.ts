import * as z from 'zod';
import { studySchema } from '../study/schema.ts';
import { analyseStudy, digest, publicKey, seal, siteName, time } from './message-schemas.ts';
import type {
  AuditEntry,
  InvitationSecret,
  OfferAnswer,
  Problem,
  ResolutionLine,
  SealedAnalysis,
  SealedAuditLog,
  SealedErasure,
  SealedReceipt,
  SealedResolution,
  StudyCreated,
  StudyView,
} from './messages.ts';

/** Answers as the OpenAPI document describes them; later versions may carry more keys. */
const count = z.int().nonnegative();
const id = z.string().regex(/^[0-9a-f]{16}$/);
const state = z.enum(['draft', 'open', 'collecting', 'closed', 'resolved']);
const place = z.object({ position: z.int().positive(), digest });

export const problem: z.ZodType<Problem> = z.object({
  schema: z.literal('suffice/problem@1'),
  code: z.string(),
  problem: z.string(),
  remedy: z.string(),
});

export const health: z.ZodType<{ schema: 'suffice/health@1'; status: 'ok' }> = z.object({
  schema: z.literal('suffice/health@1'),
  status: z.literal('ok'),
});

export const invitationSecret: z.ZodType<InvitationSecret> = z.object({
  site: siteName,
  token: z.string().regex(/^sfi_[A-Za-z0-9_-]{43}$/),
});

export const studyCreated: z.ZodType<StudyCreated> = z.object({
  schema: z.literal('suffice/study-created@1'),
  id,
  digest,
  state,
  adminToken: z.string().regex(/^sfc_[A-Za-z0-9_-]{43}$/),
  invitations: z.array(invitationSecret),
  coordinatorKey: publicKey,
});

const layout = z.object({
  columns: z.array(z.string()),
  references: z.array(z.object({ center: z.number(), scale: z.number() })),
  responses: z.int().positive(),
  intercept: z.boolean(),
  arithmetic: z.enum(['exact', 'compact']),
  grid: z.union([z.literal(16), z.literal(44), z.literal(66), z.literal(88)]),
  weightScale: z.number().nullable(),
  family: z.enum(['binomial', 'poisson']).optional(),
  privacy: z
    .object({
      kind: z.enum(['products', 'gradient']),
      bound: count,
      noise: z.enum(['at-sites', 'at-coordinator']),
      at: z.array(z.number()).optional(),
    })
    .optional(),
  estimate: z.object({ covariance: z.boolean() }).optional(),
});

const siteStatus = z.object({
  name: siteName,
  state: z.enum(['invited', 'ready', 'contributed', 'withdrawn', 'revoked']),
  n: count.optional(),
  dropped: count.optional(),
  late: count,
  traffic: z.object({ up: count, down: count }),
});

export const studyView: z.ZodType<StudyView> = z.object({
  schema: z.literal('suffice/study-view@1'),
  id,
  digest,
  study: studySchema,
  state,
  createdAt: time,
  deadline: time.optional(),
  quorum: z.int().positive(),
  layout,
  limit: count,
  sites: z.array(siteStatus),
  resolution: z.object({ number: z.int().positive(), digest }).optional(),
  problem: z.string().optional(),
  coordinatorKey: publicKey,
  you: z.object({ site: siteName, nextSequence: z.int().positive() }).optional(),
}) as unknown as z.ZodType<StudyView>;

export const studies: z.ZodType<{
  schema: 'suffice/studies@1';
  studies: readonly StudyView[];
}> = z.object({ schema: z.literal('suffice/studies@1'), studies: z.array(studyView) });

export const offerAnswer: z.ZodType<OfferAnswer> = z.object({
  schema: z.literal('suffice/offer-answer@1'),
  accepted: z.boolean(),
  mismatches: z.array(z.object({ column: z.string(), problem: z.string(), remedy: z.string() })),
});

export const receipt: z.ZodType<SealedReceipt> = z.object({
  schema: z.literal('suffice/receipt@1'),
  study: digest,
  site: siteName,
  sequence: z.int().positive(),
  mode: z.enum(['add', 'replace']),
  digest,
  bytes: count,
  receivedAt: time,
  late: z.boolean(),
  audit: place,
  privacy: z.object({ epsilon: z.string(), delta: z.string(), mu: z.string() }).optional(),
  seal,
}) as unknown as z.ZodType<SealedReceipt>;

export const receipts: z.ZodType<{
  schema: 'suffice/receipts@1';
  receipts: readonly SealedReceipt[];
}> = z.object({ schema: z.literal('suffice/receipts@1'), receipts: z.array(receipt) });

export const erasure: z.ZodType<SealedErasure> = z.object({
  schema: z.literal('suffice/erasure@1'),
  study: digest,
  site: siteName,
  erased: z.array(digest),
  erasedAt: time,
  audit: place,
  seal,
});

export const resolution: z.ZodType<SealedResolution> = z.object({
  schema: z.literal('suffice/resolution@1'),
  number: z.int().positive(),
  study: studySchema,
  studyDigest: digest,
  resolvedAt: time,
  contributions: z.array(z.object({ site: siteName, digests: z.array(digest) })),
  missing: z.array(siteName),
  report: z.looseObject({ schema: z.literal('suffice/report@1'), digest }),
  seal,
}) as unknown as z.ZodType<SealedResolution>;

export const analysis: z.ZodType<SealedAnalysis> = z.object({
  schema: z.literal('suffice/analysis@1'),
  resolution: z.int().positive(),
  study: studySchema,
  studyDigest: digest,
  askedAt: time,
  inquiry: analyseStudy,
  report: z.looseObject({ schema: z.literal('suffice/report@1'), digest }),
  answers: z.array(z.looseObject({ about: z.string() })),
  seal,
}) as unknown as z.ZodType<SealedAnalysis>;

export const resolutions: z.ZodType<{
  schema: 'suffice/resolutions@1';
  resolutions: readonly ResolutionLine[];
}> = z.object({
  schema: z.literal('suffice/resolutions@1'),
  resolutions: z.array(
    z.object({ number: z.int().positive(), digest, resolvedAt: time, sites: count }),
  ),
});

export const auditEntry: z.ZodType<AuditEntry> = z.object({
  position: z.int().positive(),
  at: time,
  event: z.enum([
    'created',
    'opened',
    'invited',
    'revoked',
    'offer-accepted',
    'offer-declined',
    'contributed',
    'withdrawn',
    'closed',
    'reopened',
    'extended',
    'resolved',
    'unresolved',
  ]),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
  previous: digest,
  digest,
});

export const auditLog: z.ZodType<SealedAuditLog> = z.object({
  schema: z.literal('suffice/audit-log@1'),
  study: digest,
  entries: z.array(auditEntry),
  seal,
});
