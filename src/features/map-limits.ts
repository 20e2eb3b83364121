import type * as zod from 'zod';
import { DataError } from '../data-error.ts';
import type { Zod } from '../study/zod.ts';

/** Most columns that a map makes. */
export const LARGEST_DIMENSION = 5000;

/** Most numbers of a map's matrix, which every party must store: 400 MB, drawn in some seconds. */
const MOST_DRAWN = 5e7;

/** Refuses a matrix that is too large to draw and store. */
export function refuseVast(noun: string, columns: number, dimension: number): void {
  if (columns * dimension <= MOST_DRAWN) return;
  throw new DataError(
    `a ${noun} of ${columns} columns to ${dimension} is a matrix of more than ${MOST_DRAWN / 1e6} million numbers`,
    {},
    'choose a smaller dimension, or leave out terms with many levels',
  );
}

/** A public seed of 32 bits. */
export function seedSchema(z: Zod): zod.ZodInt {
  return z
    .int()
    .min(0)
    .max(2 ** 32 - 1);
}
