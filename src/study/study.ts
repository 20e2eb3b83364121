import * as z from 'zod';
import { type Codebook, codebookSchema } from './codebook.ts';
import { digestJson } from './digest.ts';

/** The public agreement every site works from; its digest is its identity. */
export interface Study {
  readonly schema: 'suffice/study@1';
  readonly name?: string;
  readonly formula: string;
  readonly codebook: Codebook;
  readonly weights?: string;
  readonly fusion: RidgeFusion;
  readonly arithmetic: 'exact' | 'compact';
  /** Bits a unit of scale is cut into; 44 (thirteen digits) unless the study needs a finer grid. */
  readonly grid?: 44 | 66 | 88;
}

/** Ridge regression; a penalty of 0 is least squares. The intercept is never penalised. */
export interface RidgeFusion {
  readonly kind: 'ridge';
  readonly ridge: number | 'gcv';
  /** Penalise coefficients of columns scaled by their population SD instead of raw ones. */
  readonly standardize?: boolean;
}

const studySchema = z.strictObject({
  schema: z.literal('suffice/study@1'),
  name: z.string().optional(),
  formula: z.string(),
  codebook: codebookSchema,
  weights: z.string().optional(),
  fusion: z.strictObject({
    kind: z.literal('ridge'),
    ridge: z.union([z.number().nonnegative(), z.literal('gcv')]),
    standardize: z.boolean().optional(),
  }),
  arithmetic: z.enum(['exact', 'compact']),
  grid: z.union([z.literal(44), z.literal(66), z.literal(88)]).optional(),
});

/** Checks a study read from JSON; throws a ZodError that names the key. */
export function parseStudy(json: unknown): Study {
  return studySchema.parse(json) as Study;
}

export function studyDigest(study: Study): string {
  return digestJson(study);
}
