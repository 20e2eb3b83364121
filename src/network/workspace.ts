import { type Kernels, trainingKernels } from '../numeric/kernels.ts';
import { type ChosenTables, chosenTables } from './chosen-tables.ts';
import { type NetworkPlan, valueCount } from './network-plan.ts';
import { type Stage, stagesOf } from './stages.ts';
import { type BlockLayout, fours, layoutLength, weightLayouts } from './weight-layout.ts';

/** Kernel memory of one stage; places are bytes, pitches numbers. */
export interface StageSpace {
  readonly stage: Stage;
  readonly layout: BlockLayout | undefined;
  /** The values that come in, a row for each example; for a dense layer with the 1 of its bias. */
  readonly inputs: number;
  readonly inputPitch: number;
  /** Examples that go through a convolution together; all, for a dense layer. */
  readonly together: number;
  /** Their images with zeros around them; 0 if the layer needs none. */
  readonly framed: number;
  /** Windows of these examples, a row for each position; the inputs, for a dense layer. */
  readonly windows: number;
  /** What the layer makes of them. */
  readonly made: number;
  /** Which pixel of `made` each value that goes out is. */
  readonly chosen: number;
  readonly chosenPitch: number;
  /** The gradient by `made`. */
  readonly madeGradient: number;
  /** Tables of a convolution before a pool. */
  readonly tables: ChosenTables | undefined;
  /** The weights laid out as the tables say, for the gradient by the inputs; 0 where `transposed` is used. */
  readonly placed: number;
  readonly windowGradient: number;
  /** The gradient by the inputs, for every seed; 0 if nothing before needs it. */
  readonly inputGradient: number;
  /** The weights with a row for each output, for the gradient by the inputs. */
  readonly transposed: number;
}

/** A network in kernel memory, for up to `most` examples and `seeds` gradients of each at once. */
export interface Workspace {
  readonly plan: NetworkPlan;
  readonly kernels: Kernels;
  readonly layouts: readonly BlockLayout[];
  readonly stages: readonly StageSpace[];
  readonly most: number;
  readonly seeds: number;
  /** Rows between the first examples of two seeds. */
  readonly seedRows: number;
  /** Numbers of all weights in kernel memory. */
  readonly length: number;
  readonly weights: number;
  /** Inputs as examples have them. */
  readonly given: number;
  /** The gradient by the outputs: for each seed and example as many numbers as outputs, up to a multiple of 4. */
  readonly outputGradient: number;
  readonly panel: number;
  /** Room for what a kernel lists about the chosen positions of one example. */
  readonly list: number;
}

/** Numbers of all windows that go through a convolution together: they should stay in the second-level cache. */
export const TOGETHER = 16384;

/** Bytes after every buffer, which vectors may read and write: three rows of a product, and four numbers. */
const slack = (pitch: number) => 12 * pitch + 64;

/** How far back gradients go: to the weights of the first layer, or to the inputs before it. */
export type GradientReach = 'weights' | 'inputs';

/** Reserves the memory of a network. */
export function createWorkspace(
  plan: NetworkPlan,
  most: number,
  seeds = 1,
  reach: GradientReach = 'weights',
): Workspace {
  if (!(Number.isInteger(most) && most >= 1))
    throw new RangeError(`most must be 1 or more: ${most}`);
  const kernels = trainingKernels();
  const space = (rows: number, pitch: number) => kernels.allocate(4 * rows * pitch + slack(pitch));
  const layouts = weightLayouts(plan);
  const length = layoutLength(layouts);
  const seedRows = fours(most);
  const stages: StageSpace[] = [];
  let [longest, listed] = [0, 0];
  for (const stage of stagesOf(plan)) {
    const { layer, from, to } = stage;
    const layout = layouts[layer?.weights.index ?? -1];
    const values = valueCount(from);
    const dense = layer?.kind === 'dense';
    const inputPitch = dense ? layout.inputs : values;
    const positions = layer?.weights.positions ?? 1;
    const perExample = positions * (layout?.inputs ?? 0);
    const together =
      layer?.kind === 'convolution'
        ? Math.min(most, Math.max(1, Math.floor(TOGETHER / perExample)))
        : most;
    const inputs = space(most, inputPitch);
    const padding = layer?.kind === 'convolution' ? layer.padding : 0;
    const framedLength = from.channels * (from.height + 2 * padding) * (from.width + 2 * padding);
    const rows = together * positions;
    const widest = Math.max(layout?.inputs ?? 0, layout?.outputs ?? 0);
    longest = Math.max(longest, rows * widest, 8 * widest);
    const chosenPitch = fours(to.channels) * to.height * to.width;
    const lower = reach === 'inputs' || stages.some((earlier) => earlier.layout !== undefined);
    const some = (wanted: boolean, count: number, pitch: number) =>
      wanted ? space(count, pitch) : 0;
    const tables = chosenTables(kernels, stage, layout);
    if (tables !== undefined) listed = Math.max(listed, to.height * to.width + 1);
    const placed = tables !== undefined && lower && padding === 0;
    stages.push({
      placed: placed ? kernels.allocate(4 * tables.length) : 0,
      ...{ tables, stage, layout, inputs, inputPitch, together, chosenPitch },
      framed: padding > 0 ? space(together, framedLength) : 0,
      windows: layer?.kind === 'convolution' ? space(rows, layout.inputs) : inputs,
      made: layer === undefined ? inputs : space(rows, layout.outputs),
      chosen: space(most, chosenPitch),
      madeGradient: some(layer !== undefined, rows, layout?.outputs ?? 0),
      windowGradient: some(
        lower && !placed && layer?.kind === 'convolution',
        rows,
        layout?.inputs ?? 0,
      ),
      inputGradient: some(lower, seeds * seedRows, inputPitch),
      transposed: some(lower && !placed, layout?.outputs ?? 0, layout?.inputs ?? 0),
    });
  }
  const outputs = layouts.at(-1)!.outputs;
  return {
    ...{ plan, kernels, layouts, stages, most, seeds, seedRows, length },
    weights: space(1, length),
    given: space(most, valueCount(plan.input)),
    outputGradient: space(seeds * seedRows, outputs),
    panel: kernels.allocate(4 * longest),
    list: kernels.allocate(4 * (seeds + 1) * listed),
  };
}
