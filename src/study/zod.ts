import type * as zod from 'zod';

/**
 * The part of zod that schemas use. It is passed as an argument, because loading zod takes a tenth of a second.
 * `zod-fields.ts` has its value.
 */
export type Zod = Pick<
  typeof zod,
  | 'array'
  | 'boolean'
  | 'discriminatedUnion'
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
