import * as z from 'zod';
import type { Zod } from './zod.ts';

/** Listed one by one: a bundle that passes on all of zod would contain its messages in every language. */
export const zodFields: Zod = {
  array: z.array,
  boolean: z.boolean,
  discriminatedUnion: z.discriminatedUnion,
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
