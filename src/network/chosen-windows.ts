import type { LayerGradient } from './backward-pass.ts';
import { seenImages } from './forward-pass.ts';
import type { Workspace } from './workspace.ts';

/**
 * Adds the gradients by the weights of a convolution before a pool (of seed 0), or the squares of those of every example and
 * seed, to sums at these bytes, laid out as its tables say.
 */
export function addChosenWindows(
  workspace: Workspace,
  { space, next, from, count, seeds }: LayerGradient,
  what: 'sums' | 'squares',
  target: number,
): void {
  const { kernels, seedRows, list } = workspace;
  const { stage, layout, tables, chosen, chosenPitch } = space;
  const { layer, to } = stage;
  if (layer?.kind !== 'convolution' || tables === undefined || next === undefined) return;
  const { pointer, pitch } = seenImages(workspace, space, layer, from, count);
  const { inputGradient, inputPitch } = next;
  const { starts, offsets, vectors } = tables;
  kernels.call.addChosen(
    ...[pointer, count, pitch, starts, chosen + 4 * from * chosenPitch],
    ...[to.height * to.width, layout!.block.rows, inputGradient + 4 * from * inputPitch],
    ...[inputPitch, 4 * seedRows * inputPitch, seeds, offsets, vectors],
    ...[Number(what === 'squares'), target, list],
  );
}
