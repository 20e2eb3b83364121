import { backwardPass, type LayerGradient } from './backward-pass.ts';
import { loadWeights, outputsOfPass } from './engine.ts';
import type { Examples } from './examples.ts';
import { fillInputs } from './fill-inputs.ts';
import { type DrawnLabels, type FisherSeeds, fisherSeeds } from './fisher-seeds.ts';
import { eachInput, forwardPass } from './forward-pass.ts';
import type { NetworkPlan } from './network-plan.ts';
import { createWorkspace, type StageSpace, type Workspace } from './workspace.ts';

/** Something that a pass sums over all rows. */
export interface PassSum<T> {
  /** Sees the inputs of every layer with weights, or its windows. */
  readonly inputs?: ((space: StageSpace, count: number) => void) | undefined;
  /** Sees the gradient at every layer with weights, for each seed. */
  readonly gradient?: ((gradient: LayerGradient) => void) | undefined;
  /** The mean over the rows. */
  mean(rows: number): T;
}

/** How far a pass is. */
export interface PassProgress {
  readonly row: number;
  readonly rows: number;
}

/** Rows and seeds that go through together. */
export const MOST_FISHER_ROWS = 32;
export const MOST_FISHER_SEEDS = 16;

/** One pass over the examples for a sum; reports after every few rows. */
export function* runPass<T>(
  plan: NetworkPlan,
  weights: Float32Array,
  examples: Examples,
  labels: DrawnLabels | undefined,
  sumOf: (workspace: Workspace) => PassSum<T>,
): Generator<PassProgress, T> {
  const { rows, answers } = examples;
  const seeds = fisherSeeds(answers.kind, plan.outputs, labels);
  const most = Math.min(MOST_FISHER_ROWS, Math.max(1, rows));
  const workspace = createWorkspace(plan, most, Math.min(MOST_FISHER_SEEDS, seeds.count));
  loadWeights(workspace, weights);
  const into = sumOf(workspace);
  for (let row = 0; row < rows; row += most) {
    const count = Math.min(most, rows - row);
    fillInputs(
      workspace,
      examples,
      Uint32Array.from({ length: count }, (_, k) => row + k),
    );
    forwardPass(workspace, count);
    if (into.inputs) eachInput(workspace, count, into.inputs);
    if (into.gradient) eachSeed(workspace, count, seeds, into.gradient);
    yield { row: row + count, rows };
  }
  return into.mean(Math.max(1, rows));
}

/** Backward passes from all seeds of the examples of the last forward pass. */
function eachSeed(
  workspace: Workspace,
  rows: number,
  seeds: FisherSeeds,
  visit: (gradient: LayerGradient) => void,
): void {
  const { plan, kernels, stages, outputGradient, seedRows } = workspace;
  const width = plan.outputs;
  const pitch = stages.at(-1)!.layout!.outputs;
  const outputs = outputsOfPass(workspace, rows);
  const length = seeds.count * width;
  const all = new Float32Array(rows * length);
  for (let row = 0; row < rows; row++) {
    seeds.fill(outputs, row * width, all.subarray(row * length, (row + 1) * length));
  }
  for (let first = 0; first < seeds.count; first += workspace.seeds) {
    const count = Math.min(workspace.seeds, seeds.count - first);
    const target = kernels.f32(outputGradient, count * seedRows * pitch);
    for (let seed = 0; seed < count; seed++) {
      for (let row = 0; row < rows; row++) {
        const at = row * length + (first + seed) * width;
        target.set(all.subarray(at, at + width), (seed * seedRows + row) * pitch);
      }
    }
    backwardPass(workspace, rows, count, visit);
  }
}

/** Runs a pass to its end. */
export function whole<T>(pass: Generator<PassProgress, T>): T {
  for (;;) {
    const step = pass.next();
    if (step.done === true) return step.value;
  }
}
