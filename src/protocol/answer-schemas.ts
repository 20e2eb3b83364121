import * as z from 'zod';
import { sumsTerms } from '../fusion/classifier-schema.ts';
import { studySchema } from '../fusion/study-schema.ts';
import { reportSchema } from '../model/report-schema.ts';
import type { SegmentLayout } from '../statistic/layout.ts';
import type { LinearLayout, PrivateLayout } from '../statistic/linear-layout.ts';
import { assertSameJson } from '../study/same-json.ts';
import { zodFields } from '../study/zod-fields.ts';
import { maskStageNames } from './mask-messages.ts';
import {
  digest,
  type Inferred,
  maskKeys,
  maskShares,
  maskSurvivors,
  partBody,
  publicKey,
  requestSchemas,
  seal,
  siteNameSchema,
  time,
} from './message-schemas.ts';
import type { AnswersMessage, Many, MessageName, StudyView } from './messages.ts';
import { partySteps } from './party-messages.ts';
import { question } from './question-schema.ts';

const count = z.int().nonnegative();
/** Some sites of a roster: one bit a name, as base64url. */
const bits = z.string().regex(/^[A-Za-z0-9_-]{1,10923}$/);
const id = z.string().regex(/^[0-9a-f]{16}$/);
const state = z.enum(['draft', 'open', 'collecting', 'closed', 'resolved']);
const place = z.object({ position: z.int().positive(), digest });
const linearLayout = z.object({
  columns: z.array(z.string()),
  references: z.array(z.object({ center: z.number(), scale: z.number() })),
  responses: z.int().positive(),
  intercept: z.boolean(),
  arithmetic: z.enum(['exact', 'compact']),
  grid: z.union([z.literal(16), z.literal(22), z.literal(44), z.literal(66), z.literal(88)]),
  weightScale: z.number().nullable(),
  family: z.enum(['binomial', 'poisson']).optional(),
  remainder: z.enum(['expected', 'none']).optional(),
  priorWeights: z.literal(true).optional(),
  offset: z.literal(true).optional(),
  scores: z.literal(true).optional(),
  privacy: z
    .object({
      kind: z.enum(['products', 'gradient']),
      bound: count,
      noise: z.enum(['at-sites', 'at-coordinator', 'at-aggregators']),
      at: z.array(z.number()).optional(),
    })
    .optional(),
  estimate: z.object({ covariance: z.boolean() }).optional(),
});

const segmentLayout = z.object({
  of: z.string(),
  arithmetic: z.enum(['exact', 'compact']),
  words: z.union([z.literal(2), z.literal(3), z.literal(4), z.literal(6), z.literal(8)]),
  segments: z.array(
    z.object({
      name: z.string(),
      shape: z.union([
        z.object({ kind: z.literal('triangle'), width: count }),
        z.object({ kind: z.literal('matrix'), rows: count, columns: count }),
      ]),
      fractionBits: count,
      bits: count.optional(),
    }),
  ),
});

const layout = z.union([linearLayout, segmentLayout]);

const siteStatus = z.object({
  name: siteNameSchema,
  state: z.enum(['invited', 'ready', 'contributed', 'withdrawn', 'revoked']),
  n: count.optional(),
  dropped: count.optional(),
  late: count,
  traffic: z.object({ up: count, down: count }).optional(),
});

const adminToken = z.string().regex(/^sfc_[A-Za-z0-9_-]{43}$/);

const invitationSecret = z.object({
  site: siteNameSchema,
  token: z.string().regex(/^sfi_[A-Za-z0-9_-]{43}$/),
});

const studyView = z.object({
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
  devices: z
    .object({
      enrolled: count,
      contributed: count,
      withdrawn: count,
      open: z.boolean(),
      atMost: z.int().positive().optional(),
      ends: time.optional(),
    })
    .optional(),
  resolution: z.object({ number: z.int().positive(), digest }).optional(),
  problem: z.string().optional(),
  retries: z.literal(true).optional(),
  erasedAt: time.optional(),
  round: z.int().positive().optional(),
  next: z.object({ id, digest, resolution: z.int().positive() }).optional(),
  opening: z
    .object({
      askedAt: time.optional(),
      sites: z.array(
        z.object({
          site: siteNameSchema,
          state: z.enum(['silent', 'agreed', 'cleared', 'wrong']),
          why: z.string().optional(),
          contributions: z.array(z.object({ sequence: z.int().positive(), digest })).optional(),
        }),
      ),
    })
    .optional(),
  sum: z
    .object({
      state: z.enum(['unsent', 'sent', 'withdrawn', 'leaving', 'left']),
      sequence: z.int().positive().optional(),
      at: time.optional(),
      sites: count.optional(),
      late: z.boolean().optional(),
      problem: z.string().optional(),
    })
    .optional(),
  coordinatorKey: publicKey,
  you: z.object({ site: siteNameSchema, nextSequence: z.int().positive() }).optional(),
});

const receipt = z.object({
  schema: z.literal('suffice/receipt@1'),
  study: digest,
  site: siteNameSchema,
  sequence: z.int().positive(),
  mode: z.enum(['add', 'replace']),
  digest,
  bytes: count,
  receivedAt: time,
  late: z.boolean(),
  audit: place,
  privacy: z.object({ epsilon: z.string(), delta: z.string(), mu: z.string() }).optional(),
  seal,
});

const auditEntry = z.object({
  position: z.int().positive(),
  at: time,
  event: z.enum([
    'created',
    'opened',
    'invited',
    'revoked',
    'enrolled',
    'enrolment-ended',
    'offer-accepted',
    'offer-declined',
    'contributed',
    'unusable',
    'withdrawn',
    'erased',
    'closed',
    'reopened',
    'extended',
    'resolved',
    'unresolved',
    'helper-answered',
    'opening-asked',
    'opening-agreed',
    'site-opened',
    'stage-ended',
    'wrong-shares',
    'party-message',
    'round-opened',
    'admin-renewed',
    'admin-revoked',
    'sum-sent',
    'sum-withdrawn',
    'sum-waits',
    'parent-renewed',
    'parent-left',
  ]),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
  previous: digest,
  digest,
});

const name = z.string().min(1).max(1000);
const query = z.strictObject({
  method: sumsTerms(zodFields).optional(),
  without: z.array(name).max(1000).optional(),
  questions: z.array(question).max(100),
});

/** Answers as the OpenAPI document describes them; later versions may have more keys. */
const answers = {
  Problem: z.object({
    schema: z.literal('suffice/problem@1'),
    code: z.string(),
    problem: z.string(),
    remedy: z.string(),
  }),
  Health: z.object({
    schema: z.literal('suffice/health@1'),
    status: z.literal('ok'),
  }),
  StudyCreated: z.object({
    schema: z.literal('suffice/study-created@1'),
    id,
    digest,
    state,
    adminToken,
    invitations: z.array(invitationSecret),
    openToken: z.optional(z.string().regex(/^sfe_[A-Za-z0-9_-]{43}$/)),
    coordinatorKey: publicKey,
  }),
  InvitationSecret: invitationSecret,
  AdminSecret: z.object({
    schema: z.literal('suffice/admin-secret@1'),
    token: adminToken,
  }),
  StudyView: studyView,
  Studies: z.object({ schema: z.literal('suffice/studies@1'), studies: z.array(studyView) }),
  OfferAnswer: z.object({
    schema: z.literal('suffice/offer-answer@1'),
    accepted: z.boolean(),
    mismatches: z.array(z.object({ column: z.string(), problem: z.string(), remedy: z.string() })),
  }),
  Receipt: receipt,
  MaskStage: z.object({
    schema: z.literal('suffice/mask-stage@1'),
    stage: z.enum(maskStageNames),
    arrived: count,
    expected: count,
    graph: z
      .object({
        present: bits,
        root: publicKey,
        path: z.array(publicKey).max(16),
        keys: z.array(maskKeys).max(255),
      })
      .optional(),
    dealt: z.object({ present: bits, shares: maskShares }).optional(),
    survivors: bits.optional(),
    signed: z.array(maskSurvivors).max(255).optional(),
  }),
  PartyMail: z.object({
    schema: z.literal('suffice/party-mail@1'),
    step: z.enum(partySteps),
    parts: z.int().min(0).max(10_000),
    body: partBody.optional(),
  }),
  Upload: z.object({
    schema: z.literal('suffice/upload@1'),
    blocks: z.int().min(0),
    blockBytes: z.int().min(1),
  }),
  Receipts: z.object({ schema: z.literal('suffice/receipts@1'), receipts: z.array(receipt) }),
  Erasure: z.object({
    schema: z.literal('suffice/erasure@1'),
    study: digest,
    site: siteNameSchema,
    erased: z.array(digest),
    erasedAt: time,
    audit: place,
    seal,
  }),
  Resolution: z.object({
    schema: z.literal('suffice/resolution@1'),
    number: z.int().positive(),
    study: studySchema,
    studyDigest: digest,
    resolvedAt: time,
    contributions: z.array(z.object({ site: siteNameSchema, digests: z.array(digest) })),
    missing: z.array(siteNameSchema),
    report: reportSchema,
    seal,
  }),
  Resolutions: z.object({
    schema: z.literal('suffice/resolutions@1'),
    resolutions: z.array(
      z.object({ number: z.int().positive(), digest, resolvedAt: time, sites: count }),
    ),
  }),
  Inquiry: query,
  Analysis: z.object({
    schema: z.literal('suffice/analysis@1'),
    resolution: z.int().positive(),
    study: studySchema,
    studyDigest: digest,
    askedAt: time,
    inquiry: query,
    report: reportSchema,
    answers: z.array(z.looseObject({ about: z.string() })),
    seal,
  }),
  AuditEntry: auditEntry,
  AuditLog: z.object({
    schema: z.literal('suffice/audit-log@1'),
    study: digest,
    entries: z.array(auditEntry),
    seal,
  }),
};

type Instead<T, Part> = Omit<T, keyof Part> & Part;
type Open<T> = T & Readonly<Record<string, unknown>>;
type DescribedView = Instead<StudyView, { readonly layout: DescribedLayout }>;
type DescribedLayout =
  | Instead<
      LinearLayout,
      { readonly privacy?: Omit<PrivateLayout, 'at'> & { readonly at?: readonly number[] } }
    >
  | SegmentLayout;

/** The answers as far as the schemas describe them: only the topic of an answer, and layouts in part. */
type Described = Instead<
  AnswersMessage,
  {
    readonly StudyView: DescribedView;
    readonly Studies: Many<'studies', DescribedView>;
    readonly Analysis: Instead<
      AnswersMessage['Analysis'],
      { readonly answers: readonly Open<{ readonly about: string }>[] }
    >;
  }
>;
assertSameJson<Inferred<typeof answers>, Described>('same');

/** Schemas of every message by its name. */
export const messageSchemas: Readonly<Record<MessageName, z.ZodType>> = {
  ...requestSchemas,
  ...answers,
};
