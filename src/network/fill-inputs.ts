import type { Examples } from './examples.ts';
import { valueCount } from './network-plan.ts';
import type { Workspace } from './workspace.ts';

/** Writes the inputs of these rows for the next pass. */
export function fillInputs(
  { plan, kernels, given }: Workspace,
  examples: Pick<Examples, 'fill'>,
  rows: ArrayLike<number>,
): void {
  const values = valueCount(plan.input);
  const target = kernels.f32(given, rows.length * values);
  for (let k = 0; k < rows.length; k++) examples.fill(target, k * values, rows[k]);
}
