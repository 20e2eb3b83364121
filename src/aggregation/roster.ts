import type * as zod from 'zod';
import type { Zod } from '../study/zod.ts';

/** Fewest sites of a sum that hides its parts: of two, each would know the other by taking itself off. */
export const fewestSites = 3;
export const mostSites = 65_536;

/** The sites of a study and their public keys. */
export function rosterSchema(z: Zod): zod.ZodType<Readonly<Record<string, string>>> {
  return z
    .record(
      z.string().min(1).max(200),
      z.string().regex(/^[\w-]{43}$/, 'must be the public key of a site, 43 characters'),
    )
    .refine((roster) => Object.keys(roster).length >= fewestSites, 'must have at least 3 sites')
    .refine((roster) => Object.keys(roster).length <= mostSites, 'has too many sites')
    .refine(
      (roster) => new Set(Object.values(roster)).size === Object.keys(roster).length,
      'must give each site a key of its own',
    );
}
