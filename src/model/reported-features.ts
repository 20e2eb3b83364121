import * as z from 'zod';
import { featureMaps } from '../features/feature-maps.ts';
import { zodFields } from '../study/zod-fields.ts';
import type { ReportedFeatures } from './reported-map.ts';

type Schemas = {
  readonly [Kind in keyof ReportedFeatures]-?: z.ZodOptional<
    z.ZodType<NonNullable<ReportedFeatures[Kind]>>
  >;
};

/** Feature maps in a report, by their kinds: their terms, and the number of columns that they were applied to. */
export const reportedFeatures: Schemas = Object.fromEntries(
  Object.entries(featureMaps).map(([kind, map]) => [
    kind,
    map.schema(zodFields).omit({ kind: true }).extend({ columns: z.number() }).strip().optional(),
  ]),
) as z.ZodRawShape as Schemas;
