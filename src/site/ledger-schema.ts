import * as z from 'zod';
import { codebookSchema } from '../study/schema.ts';
import type { LedgerLine } from './ledger-chain.ts';
import type { Waiting } from './site-store.ts';

const text = z.string().max(100_000);
const count = z.number().nonnegative();

const release = z.looseObject({
  study: text,
  site: text,
  sequence: z.int().positive(),
  mode: z.enum(['add', 'replace']),
  rows: z.number(),
  numbers: count,
  bytes: count,
  digest: text,
  columns: z
    .array(
      z
        .looseObject({ name: text, column: z.unknown() })
        .refine(({ name, column }) => codebookSchema.safeParse({ [name]: column }).success),
    )
    .optional(),
  weights: text.optional(),
  labels: z.array(text).optional(),
  charge: z
    .looseObject({
      mu: z.number().nonnegative().max(1e6),
      promise: text.optional(),
      round: count.optional(),
      place: text.optional(),
      unit: z.enum(['row', 'person']).optional(),
      releases: count.optional(),
      placement: z.enum(['central', 'local', 'aggregators']).optional(),
    })
    .optional(),
  evaluated: text.optional(),
  shared: z.array(text).optional(),
});

const line = release.extend({
  at: text,
  to: text,
  outcome: z.enum(['acknowledged', 'refused', 'written']).optional(),
  tags: text.optional(),
});

const waiting = z.looseObject({ release, approvedAt: text, tags: text.optional() });

/** Whether every part of a ledger line is of its type. Keys of later versions are left alone. */
export function isLedgerLine(json: unknown): json is LedgerLine {
  return line.safeParse(json).success;
}

/** The same for a contribution in the outbox. */
export function isWaitingEntry(json: unknown): json is Waiting {
  return waiting.safeParse(json).success;
}
