import type * as zod from 'zod';
import { typedAs } from '../study/same-json.ts';
import type { Zod } from '../study/zod.ts';

/** How a coordinator draws inputs from the networks of the sites, and a network learns what they say of these. */
export interface Distillation {
  /** Batches of inputs, each from a generator of its own; 20 unless given. */
  readonly batches?: number;
  /** Inputs of a batch; 64 unless given. */
  readonly batch?: number;
  /** Steps of a generator; 30 unless given. */
  readonly steps?: number;
  /** Channels of the generator's first images, or units of its layers for a table: a multiple of 8; 16 unless given. */
  readonly width?: number;
  /** Passes of the network over all batches so far, after each new one; 4 unless given. */
  readonly passes?: number;
  /** Outputs are divided by it before they are compared; 20 unless given. */
  readonly temperature?: number;
}

/** The same with everything filled in. */
export type FullDistillation = Required<Distillation>;

/** The terms with what is usual where they are silent. */
export function fullDistillation(terms: Distillation = {}): FullDistillation {
  return { batches: 20, batch: 64, steps: 30, width: 16, passes: 4, temperature: 20, ...terms };
}

function shape(z: Zod) {
  return z.strictObject({
    batches: z.int().min(1).max(1000).optional(),
    batch: z.int().min(2).max(1024).optional(),
    steps: z.int().min(1).max(1000).optional(),
    width: z.int().min(8).max(512).multipleOf(8).optional(),
    passes: z.int().min(1).max(100).optional(),
    temperature: z.number().min(0.1).max(1000).optional(),
  });
}

/** The JSON of a distillation. */
export function distillationSchema(z: Zod): zod.ZodType<Distillation> {
  return typedAs<Distillation>()(shape(z), 'same');
}
