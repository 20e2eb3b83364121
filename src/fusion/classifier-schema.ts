import type * as zod from 'zod';
import { assertSameJson, typedAs } from '../study/same-json.ts';
import type { DiscriminantFusion, NaiveBayesFusion, SumsFusion } from '../study/study.ts';
import type { Zod } from '../study/zod.ts';
import { ridgeTerms } from './ridge-schema.ts';

function discriminantShape(z: Zod) {
  return z.strictObject({
    kind: z.literal('discriminant'),
    shrinkage: z
      .union([z.number().nonnegative().max(1), z.enum(['gcv', 'leave-one-site-out'])])
      .optional(),
  });
}
assertSameJson<zod.infer<ReturnType<typeof discriminantShape>>, DiscriminantFusion>('same');

function naiveBayesShape(z: Zod) {
  return z.strictObject({ kind: z.literal('naive-bayes') });
}
assertSameJson<zod.infer<ReturnType<typeof naiveBayesShape>>, NaiveBayesFusion>('same');

/** The JSON of a discriminant fusion in a study. */
export function discriminantSchema(z: Zod): zod.ZodObject {
  return discriminantShape(z);
}

/** The JSON of a naive Bayes fusion in a study. */
export function naiveBayesSchema(z: Zod): zod.ZodObject {
  return naiveBayesShape(z);
}

/** Every model that the sums of a ridge give, for a query. */
export function sumsTerms(z: Zod): zod.ZodType<SumsFusion> {
  return z.union([
    ridgeTerms(z),
    typedAs<DiscriminantFusion>()(discriminantShape(z), 'same'),
    typedAs<NaiveBayesFusion>()(naiveBayesShape(z), 'same'),
  ]);
}
