import { networkFeature } from '../../src/features/network-terms.ts';
import { hiddenPlan } from '../../src/network/hidden-plan.ts';
import type { Network } from '../../src/network/network.ts';
import { imageValues } from '../../src/network/network-plan.ts';
import type { ImageRow } from '../images/image-rows.ts';
import type { ImageSet } from '../images/image-sets.ts';
import { oneMap } from '../images/one-map.ts';
import { storedFrom } from './shared-images.ts';
import type { Task } from './task.ts';

/** Features of images for exact ridge regression: those of a fused network's last layer, or fixed ones. */
export interface RepairInput {
  readonly set: Pick<ImageSet, 'name' | 'images'>;
  readonly of:
    | { readonly network: Network; readonly weights: Float32Array }
    | { readonly row: ImageRow };
}

/** The model of the sums of all clients, which is that of the pooled images to the last bit. */
export interface RepairOutcome {
  /** Of the class with the largest fitted indicator. */
  readonly accuracy: number;
  /** Bytes of a client's signed contribution. */
  readonly bytes: number;
  /** Columns, with the constant. */
  readonly width: number;
}

/** One exact contact: every client sends its sums, and the coordinator solves; how they are divided does not matter. */
export const repairTask: Task<RepairInput, RepairOutcome> = async (
  { set, of },
  { train, test },
  report,
) => {
  const row = 'row' in of ? of.row : lastInputs(of, set);
  const parts = { train: storedFrom(train), test: storedFrom(test) };
  const steps = oneMap(set, row, parts, 0, []);
  let next = await steps.next();
  for (; next.done !== true; next = await steps.next()) {
    report(next.value.done, `${row.label}, ${next.value.what}`);
  }
  const { fittedAccuracy, bytes, width } = next.value;
  return { accuracy: fittedAccuracy, bytes, width };
};

function lastInputs(
  { network, weights }: { readonly network: Network; readonly weights: Float32Array },
  { images }: Pick<ImageSet, 'images'>,
): ImageRow {
  const plan = hiddenPlan(network, imageValues(images));
  return { label: 'head repair', features: [networkFeature(network, plan, weights)] };
}
