import type * as zod from 'zod';
import { distillationSchema } from '../network/distillation.ts';
import { networkSchema } from '../network/network.ts';
import { trainingSchema } from '../network/training.ts';
import { resolutionSchema } from '../study/resolution-schema.ts';
import { assertSameJson } from '../study/same-json.ts';
import type { Zod } from '../study/zod.ts';
import {
  type DenseFusion,
  type FisherMergeFusion,
  type MatchedFusion,
  MOST_TRAINING_ROUNDS,
  type NetworkAverageFusion,
  type NetworkFisherFusion,
  type RegmeanFusion,
} from './network-terms.ts';

/** Most characters of weights: four million numbers of four bytes in base64. */
const MOST_TEXT = 22_000_000;

/** The fields that every fusion of networks has. */
function fields(z: Zod) {
  return {
    network: networkSchema(z),
    training: trainingSchema(z).optional(),
    at: z.string().max(MOST_TEXT).optional(),
    from: resolutionSchema(z).optional(),
    rounds: z.int().min(1).max(MOST_TRAINING_ROUNDS).optional(),
    head: z.literal('ridge').optional(),
    lastLayer: z.literal('by-class').optional(),
    heldOut: z.number().min(0).max(0.5).optional(),
  };
}

function labels(z: Zod) {
  return z.enum(['expected', 'drawn']).optional();
}

function average(z: Zod) {
  return z.strictObject({ kind: z.literal('network-average'), ...fields(z) });
}
assertSameJson<zod.infer<ReturnType<typeof average>>, NetworkAverageFusion>('same');

function matched<Kind extends MatchedFusion['kind']>(z: Zod, kind: Kind) {
  return z.strictObject({
    kind: z.literal(kind),
    ...fields(z),
    starts: z.enum(['shared', 'own']).optional(),
  });
}
assertSameJson<zod.infer<ReturnType<typeof matched<MatchedFusion['kind']>>>, MatchedFusion>('same');

function fisher<Kind extends NetworkFisherFusion['kind']>(z: Zod, kind: Kind) {
  return z.strictObject({
    kind: z.literal(kind),
    ...fields(z),
    server: z.enum(['damped', 'paper', 'descent']).optional(),
    damping: z.number().positive().max(1e6).optional(),
    labels: labels(z),
    compression: z
      .strictObject({
        bits: z.int().min(2).max(32).optional(),
        factorBits: z.int().min(2).max(32).optional(),
        rank: z.int().min(1).max(8193).optional(),
        rounding: z.enum(['round', 'ceil']).optional(),
      })
      .optional(),
  });
}
assertSameJson<
  zod.infer<ReturnType<typeof fisher<NetworkFisherFusion['kind']>>>,
  NetworkFisherFusion
>('same');

function merge(z: Zod) {
  return z.strictObject({ kind: z.literal('fisher-merge'), ...fields(z), labels: labels(z) });
}
assertSameJson<zod.infer<ReturnType<typeof merge>>, FisherMergeFusion>('same');

function regmean(z: Zod) {
  return z.strictObject({
    kind: z.literal('regmean'),
    ...fields(z),
    shrink: z.number().min(0).max(1).optional(),
  });
}
assertSameJson<zod.infer<ReturnType<typeof regmean>>, RegmeanFusion>('same');

function dense(z: Zod) {
  return z.strictObject({
    kind: z.literal('dense'),
    ...fields(z),
    distillation: distillationSchema(z).optional(),
  });
}
assertSameJson<zod.infer<ReturnType<typeof dense>>, DenseFusion>('same');

/** The JSON of each fusion of networks. */
export const networkSchemas: Readonly<Record<string, (z: Zod) => zod.ZodObject>> = {
  'network-average': average,
  otfusion: (z) => matched(z, 'otfusion'),
  pfnm: (z) => matched(z, 'pfnm'),
  'fisher-full': (z) => fisher(z, 'fisher-full'),
  'fisher-diagonal': (z) => fisher(z, 'fisher-diagonal'),
  'fisher-kfac': (z) => fisher(z, 'fisher-kfac'),
  'fisher-merge': merge,
  regmean,
  dense,
};
