import type * as zod from 'zod';
import type { Zod } from '../study/zod.ts';
import { featureMaps } from './feature-maps.ts';

/** Schemas of the terms of every feature map. */
export function featureSchemas(z: Zod): [zod.ZodObject, ...zod.ZodObject[]] {
  const { projection: first, ...others } = featureMaps;
  const rest: readonly Pick<typeof first, 'schema'>[] = Object.values(others);
  return [first.schema(z), ...rest.map((map) => map.schema(z))];
}
