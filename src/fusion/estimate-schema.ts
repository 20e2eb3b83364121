import type * as zod from 'zod';
import { holdSame } from '../study/same-json.ts';
import type { EstimateFusion } from '../study/study.ts';
import type { Zod } from '../study/zod.ts';

function shape<Kind extends EstimateFusion['kind']>(z: Zod, kind: Kind) {
  return z.strictObject({
    kind: z.literal(kind),
    ridge: z.number().nonnegative().optional(),
    covariance: z.boolean().optional(),
  });
}
holdSame<zod.infer<ReturnType<typeof shape<EstimateFusion['kind']>>>, EstimateFusion>('same');

/** The JSON of a fusion of the sites' own estimates. */
export function estimateSchema(z: Zod, kind: EstimateFusion['kind']): zod.ZodObject {
  return shape(z, kind);
}
