import type * as zod from 'zod';
import { typedAs } from '../study/same-json.ts';
import type { Zod } from '../study/zod.ts';

/** How a site trains its network. */
export interface Training {
  /** Passes over the rows; 30 unless given. */
  readonly epochs?: number;
  /** Rows of a step; 64 unless given. */
  readonly batch?: number;
  /** `momentum` unless given. */
  readonly optimiser?: 'momentum' | 'adam';
  /** Size of a step; 0.01 for momentum and 0.001 for Adam unless given. */
  readonly rate?: number;
  /** Part of the last step that is kept; 0.9 unless given. For `momentum` only. */
  readonly momentum?: number;
  /** A 32-bit whole number: the first weights and the order of the rows follow from it. 1 unless given. */
  readonly seed?: number;
}

/** How a site trains, with everything filled in. */
export type FullTraining = Required<Training>;

const USUAL_RATES = { momentum: 0.01, adam: 0.001 } as const;

/** The terms with what is usual where they are silent. */
export function fullTraining({ optimiser = 'momentum', ...terms }: Training = {}): FullTraining {
  return {
    epochs: 30,
    batch: 64,
    rate: USUAL_RATES[optimiser],
    momentum: 0.9,
    seed: 1,
    ...terms,
    optimiser,
  };
}

/** Most passes over the rows. */
export const MOST_EPOCHS = 10_000;

function shape(z: Zod) {
  return z.strictObject({
    epochs: z.int().min(0).max(MOST_EPOCHS).optional(),
    batch: z.int().min(1).max(4096).optional(),
    optimiser: z.enum(['momentum', 'adam']).optional(),
    rate: z.number().positive().max(10).optional(),
    momentum: z.number().min(0).max(0.9999).optional(),
    seed: z
      .int()
      .min(0)
      .max(2 ** 32 - 1)
      .optional(),
  });
}
/** The JSON of how a site trains. */
export function trainingSchema(z: Zod): zod.ZodType<Training> {
  return typedAs<Training>()(shape(z), 'same');
}
