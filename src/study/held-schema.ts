import type * as z from 'zod';
import type { SameJson } from './same-json.ts';

/**
 * A schema as one of the type that it describes. Compiles only where the JSON of both is the same; the two differ in how
 * they write a key that may be left out, which is what the cast is for.
 */
export function heldTo<Type>(): <Schema extends z.ZodType>(
  schema: Schema,
  same: SameJson<z.infer<Schema>, Type> extends true ? 'same' : 'different',
) => z.ZodType<Type> {
  return (schema) => schema as z.ZodType as z.ZodType<Type>;
}
