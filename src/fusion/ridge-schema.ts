import type * as zod from 'zod';
import { assertSameJson, typedAs } from '../study/same-json.ts';
import type { RidgeFusion } from '../study/study.ts';
import type { Zod } from '../study/zod.ts';

function shape(z: Zod) {
  return z.strictObject({
    kind: z.literal('ridge'),
    ridge: z.union([
      z.number().nonnegative(),
      z.enum(['gcv', 'leave-one-site-out', 'k-fold', 'marginal-likelihood']),
    ]),
    standardize: z.boolean().optional(),
    folds: z.int().min(2).optional(),
    prefer: z.enum(['minimum', 'one-standard-error']).optional(),
    lasso: z
      .strictObject({
        lambda: z.union([z.number().nonnegative(), z.literal('leave-one-site-out')]),
        mix: z.number().gt(0).max(1).optional(),
      })
      .optional(),
    errors: z.enum(['classical', 'clustered']).optional(),
    siteEffects: z.enum(['fixed', 'random', 'random-ml']).optional(),
  });
}
assertSameJson<zod.infer<ReturnType<typeof shape>>, RidgeFusion>('same');

/** The JSON of a ridge fusion in a study. */
export function ridgeSchema(z: Zod): zod.ZodObject {
  return shape(z);
}

/** The same, typed, for a query. */
export function ridgeTerms(z: Zod): zod.ZodType<RidgeFusion> {
  return typedAs<RidgeFusion>()(shape(z), 'same');
}
