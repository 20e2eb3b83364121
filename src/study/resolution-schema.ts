import type * as zod from 'zod';
import { typedAs } from './same-json.ts';
import type { ResolutionName } from './study.ts';
import type { Zod } from './zod.ts';

/** The JSON of a published model's name, as a study of a further round has it. */
export function resolutionSchema(z: Zod): zod.ZodType<ResolutionName> {
  const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be a digest: sha256:…');
  return typedAs<ResolutionName>()(z.strictObject({ study: digest, total: digest }), 'same');
}
