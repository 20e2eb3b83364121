import { cutWindows } from './forward-pass.ts';
import type { BlockLayout } from './weight-layout.ts';
import type { StageSpace, Workspace } from './workspace.ts';

/** The gradient by what a layer made, for some examples and one seed: a row for each position. */
export interface LayerGradient {
  readonly space: StageSpace;
  readonly layout: BlockLayout;
  /** The stage that follows; its `inputGradient` is the gradient after ReLU and pool. */
  readonly next: StageSpace | undefined;
  readonly seed: number;
  /** Seeds of this pass. */
  readonly seeds: number;
  /** The first of the examples, and how many they are. */
  readonly from: number;
  readonly count: number;
  /** Rows of the two arrays. */
  readonly positions: number;
  /** Bytes of the layer's inputs, or windows: `layout.inputs` numbers a position. Made when asked for. */
  windows(): number;
  /** Bytes of the gradient: `layout.outputs` numbers a position. Made when asked for. */
  gradient(): number;
}

/**
 * Takes the gradients by the outputs, one for each seed, back through the network, and calls `visit` at every layer with weights,
 * from the last one to the first. It belongs to the forward pass before it.
 */
export function backwardPass(
  workspace: Workspace,
  rows: number,
  seeds: number,
  visit: (gradient: LayerGradient) => void,
): void {
  const { stages, seedRows, outputGradient } = workspace;
  turnWeights(workspace);
  for (let k = stages.length - 1; k >= 0; k--) {
    const space = stages[k];
    const next = stages[k + 1];
    const { layout, together } = space;
    if (layout === undefined) continue;
    for (let from = 0; from < rows; from += together) {
      const count = Math.min(together, rows - from);
      const windows = once(() => {
        cutWindows(workspace, space, from, count);
        return space.windows;
      });
      for (let seed = 0; seed < seeds; seed++) {
        const row = seed * seedRows + from;
        const gradient = once(() => {
          if (next === undefined) return outputGradient + 4 * row * layout.outputs;
          spread(workspace, space, next, seed, from, count);
          return space.madeGradient;
        });
        const positions = count * layout.block.positions;
        const at = { seed, seeds, from, count, positions };
        visit({ space, layout, next, ...at, windows, gradient });
        if (space.placed !== 0) fromChosen(workspace, space, next!, seed, from, count);
        else if (space.inputGradient !== 0) toInputs(workspace, space, gradient(), row, count);
      }
    }
  }
}

function once(make: () => number): () => number {
  let made: number | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Lays the weights out for the gradients by the inputs. */
function turnWeights({ kernels, stages, weights }: Workspace): void {
  for (const { layout, transposed, placed, tables } of stages) {
    if (layout === undefined) continue;
    const { inputs, outputs, start } = layout;
    const from = weights + 4 * start;
    if (placed !== 0) kernels.call.putPlaces(placed, from, tables!.table, inputs * outputs);
    if (transposed !== 0) {
      kernels.call.transpose(inputs, outputs, from, outputs, transposed, inputs);
    }
  }
}

/** Back through ReLU and pool. */
function spread(
  { kernels, seedRows }: Workspace,
  { stage, layout, chosen, chosenPitch, madeGradient }: StageSpace,
  { inputGradient, inputPitch }: StageSpace,
  seed: number,
  from: number,
  count: number,
): void {
  const { inner, pool } = stage;
  kernels.call.spread(
    ...[inputGradient + 4 * (seed * seedRows + from) * inputPitch, count, inputPitch],
    ...[chosen + 4 * from * chosenPitch, inner.height, inner.width, inner.channels, pool],
    ...[madeGradient, layout!.outputs],
  );
}

/** Back through a layer. */
function toInputs(
  { kernels, panel }: Workspace,
  { stage, layout, transposed, windowGradient, inputGradient, inputPitch }: StageSpace,
  gradient: number,
  row: number,
  count: number,
): void {
  const { layer } = stage;
  const { inputs, outputs, block } = layout!;
  const target = inputGradient + 4 * row * inputPitch;
  const dense = layer?.kind !== 'convolution';
  kernels.call.product(
    ...[count * block.positions, inputs, block.rows, gradient, outputs, transposed, inputs],
    ...[dense ? target : windowGradient, inputs, panel],
  );
  if (dense) return;
  const { channels, height, width } = layer.from;
  kernels.call.sumPatches(
    ...[windowGradient, count, inputs, height, width, channels],
    ...[layer.size, layer.padding, target, inputPitch],
  );
}

/** Back through a pool and the convolution before it, from the positions that the pool chose. */
function fromChosen(
  { kernels, seedRows }: Workspace,
  { stage, layout, tables, placed, chosen, chosenPitch, inputGradient, inputPitch }: StageSpace,
  next: StageSpace,
  seed: number,
  from: number,
  count: number,
): void {
  const { layer, to } = stage;
  if (layer?.kind !== 'convolution' || tables === undefined) return;
  const row = seed * seedRows + from;
  kernels.call.spreadChosen(
    ...[next.inputGradient + 4 * row * next.inputPitch, count, next.inputPitch],
    ...[chosen + 4 * from * chosenPitch, to.height * to.width, layout!.block.rows, tables.starts],
    ...[placed, 4 * (tables.vectors + 1), layer.size, tables.runVectors],
    ...[layer.from.width * layer.from.channels, inputGradient + 4 * row * inputPitch, inputPitch],
  );
}
