import * as z from 'zod';
import type { Zod } from './zod.ts';

/** Part by part: a bundle that passes all of zod on holds its messages in every language. */
export const zodParts: Zod = {
  array: z.array,
  boolean: z.boolean,
  enum: z.enum,
  int: z.int,
  literal: z.literal,
  number: z.number,
  record: z.record,
  strictObject: z.strictObject,
  string: z.string,
  tuple: z.tuple,
  union: z.union,
};
