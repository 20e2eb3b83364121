import { DataError } from '../data-error.ts';
import type { PlannedMap } from './prediction-plan.ts';

/** Refuses to write a map that needs operations on images in a format that has none. */
export function noImages({ made }: Pick<PlannedMap, 'made'>, format: string): never {
  throw new DataError(
    `a model of ${made} cannot be written as ${format}, which has no operations on images`,
    {},
    'export ONNX, or predict with suffice',
  );
}
