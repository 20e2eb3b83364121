import { valueCount } from './network-plan.ts';
import type { PlannedConvolution } from './stages.ts';
import type { StageSpace, Workspace } from './workspace.ts';

/** Runs the examples in `given` through the network; the outputs are then in `made` of the last stage. */
export function forwardPass(workspace: Workspace, rows: number): void {
  const { plan, kernels, stages, given } = workspace;
  const [first] = stages;
  const { channels, height, width } = plan.input;
  kernels.call.arrange(
    ...[given, rows, height * width, channels, first.inputs, first.inputPitch, ownBias(first)],
  );
  stages.forEach((space, k) => {
    const next = stages[k + 1];
    for (let from = 0; from < rows; from += space.together) {
      const count = Math.min(space.together, rows - from);
      if (space.layout !== undefined) applyLayer(workspace, space, from, count);
      if (next !== undefined) rectify(workspace, space, next, from, count);
    }
  });
}

/** Calls `visit` with the windows of every convolution, and the inputs of every dense layer, some examples at a time. */
export function eachInput(
  workspace: Workspace,
  rows: number,
  visit: (space: StageSpace, count: number) => void,
): void {
  for (const space of workspace.stages) {
    if (space.layout === undefined) continue;
    for (let from = 0; from < rows; from += space.together) {
      const count = Math.min(space.together, rows - from);
      cutWindows(workspace, space, from, count);
      visit(space, count);
    }
  }
}

/** Where images stand. */
export interface Images {
  readonly pointer: number;
  readonly pitch: number;
  readonly height: number;
  readonly width: number;
}

/** The images that a convolution sees, with zeros around them where it has a padding. */
export function seenImages(
  { kernels }: Workspace,
  { inputs, inputPitch, framed }: StageSpace,
  { from: shape, padding }: PlannedConvolution,
  from: number,
  count: number,
): Images {
  const { channels, height, width } = shape;
  const pointer = inputs + 4 * from * inputPitch;
  if (padding === 0) return { pointer, pitch: inputPitch, height, width };
  kernels.call.frame(pointer, count, inputPitch, height, width, channels, padding, framed);
  const [high, wide] = [height + 2 * padding, width + 2 * padding];
  return { pointer: framed, pitch: channels * high * wide, height: high, width: wide };
}

/** Writes the windows of a convolution for some examples. A dense layer has its inputs there already. */
export function cutWindows(
  workspace: Workspace,
  space: StageSpace,
  from: number,
  count: number,
): void {
  const { stage, layout, windows } = space;
  const { layer } = stage;
  if (layer?.kind !== 'convolution' || layout === undefined) return;
  const { pointer, pitch, height, width } = seenImages(workspace, space, layer, from, count);
  workspace.kernels.call.patches(
    ...[pointer, count, pitch, height, width, layer.from.channels, layer.size],
    ...[windows, layout.inputs, Number(layout.block.bias)],
  );
}

function applyLayer(workspace: Workspace, space: StageSpace, from: number, count: number): void {
  const { kernels, weights: all, panel } = workspace;
  const { stage, layout, windows, made } = space;
  if (layout === undefined) return;
  const { block, start, inputs, outputs } = layout;
  const weights = all + 4 * start;
  const { layer } = stage;
  if (layer?.kind === 'convolution') {
    const { pointer, pitch, height, width } = seenImages(workspace, space, layer, from, count);
    kernels.call.convolve(
      ...[pointer, count, pitch, height, width, layer.from.channels, layer.size],
      ...[weights, outputs, Number(block.bias), made, panel],
    );
  } else {
    const right = [weights, outputs, made, outputs, panel];
    kernels.call.product(count, outputs, block.columns, windows, inputs, ...right);
  }
}

/** ReLU and pool, into the inputs of the next stage. */
function rectify(
  { kernels }: Workspace,
  { stage, layout, made, chosen, chosenPitch }: StageSpace,
  next: StageSpace,
  from: number,
  count: number,
): void {
  const { inner, pool, relu } = stage;
  const pitch = layout?.outputs ?? inner.channels;
  kernels.call.rectify(
    ...[made, count, pitch * inner.height * inner.width, pitch],
    ...[inner.height, inner.width, inner.channels, pool, Number(relu)],
    ...[next.inputs + 4 * from * next.inputPitch, next.inputPitch, ownBias(next)],
    chosen + 4 * from * chosenPitch,
  );
}

/** 1 if the inputs themselves end with the 1 of a bias, as those of a dense layer do. */
function ownBias({ stage, inputPitch }: StageSpace): number {
  const { layer } = stage;
  return Number(
    layer?.kind === 'dense' && layer.weights.bias && inputPitch > valueCount(stage.from),
  );
}
