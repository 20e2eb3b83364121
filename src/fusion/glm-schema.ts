import type * as zod from 'zod';
import { holdSame } from '../study/same-json.ts';
import type { GlmFusion } from '../study/study.ts';
import type { Zod } from '../study/zod.ts';

function shape(z: Zod) {
  return z.strictObject({
    kind: z.enum(['glm', 'fisher']),
    family: z.enum(['binomial', 'poisson']),
    prior: z.union([z.literal('firth'), z.number().positive()]).optional(),
    at: z.record(z.string(), z.number()).optional(),
  });
}
holdSame<zod.infer<ReturnType<typeof shape>>, GlmFusion>('same');

/** The JSON of a logistic or Poisson regression. */
export function glmSchema(z: Zod): zod.ZodObject {
  return shape(z);
}
