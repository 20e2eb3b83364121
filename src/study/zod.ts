import type * as zod from 'zod';

/**
 * The part of zod that schemas are made of, passed to those who describe JSON with it: loading zod takes a tenth of a second.
 * `zod-parts.ts` has its value.
 */
export type Zod = Pick<
  typeof zod,
  | 'array'
  | 'boolean'
  | 'enum'
  | 'int'
  | 'literal'
  | 'number'
  | 'record'
  | 'strictObject'
  | 'string'
  | 'tuple'
  | 'union'
>;
