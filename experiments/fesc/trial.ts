import { averageWeights, fescWeights } from '../../src/fusion/fesc-weights.ts';
import { exponential } from '../../src/numeric/exponential.ts';
import { naturalLog } from '../../src/random/natural-log.ts';
import { type LawName, lawSource, laws, wholeSize } from './laws.ts';
import type { SimulatedNodes } from './simulated-nodes.ts';
import { gammas, trialStreams } from './streams.ts';

/** The plan of a simulation; the defaults are the paper's, except for the runs. */
export interface FescPlan {
  readonly law: LawName;
  readonly nodes: number;
  readonly dimension: number;
  readonly runs: number;
  readonly seed: number;
}

/** One pass of the paper's Algorithm 2 at one γ: ‖θ̂ − θ*‖² of each estimator. */
export interface FescTrial {
  readonly centralised: number;
  readonly average: number;
  readonly fesc: number;
  /** Nodes to which FESC gives weight. */
  readonly kept: number;
  readonly sizes: readonly number[];
  /** Mean of the law's draws before rounding. */
  readonly drawn: number;
}

/** m^γ, the mean of a law. `gamma` counts from 0. */
export function meanSize(nodes: number, gamma: number): number {
  return exponential(gammas[gamma]! * naturalLog(nodes));
}

/** The trial of one run at one γ; `nodes` must have the plan's dimension. */
export function trial(
  plan: FescPlan,
  run: number,
  gamma: number,
  nodes: SimulatedNodes,
): FescTrial {
  const { draws, sizes, truth, lambda, seed } = design(plan, run, gamma);
  const plain = averageWeights(sizes);
  const corrected = fescWeights(sizes);
  const average = new Float64Array(plan.dimension);
  const fesc = new Float64Array(plan.dimension);
  nodes.start(seed, truth);
  sizes.forEach((size, i) => {
    const theta = nodes.node(size, lambda);
    addTimes(average, plain[i]!, theta);
    addTimes(fesc, corrected[i]!, theta);
  });
  return {
    centralised: squaredDistance(nodes.pooled(lambda), truth),
    average: squaredDistance(average, truth),
    fesc: squaredDistance(fesc, truth),
    kept: corrected.reduce((count, weight) => count + (weight > 0 ? 1 : 0), 0),
    sizes,
    drawn: sum(draws) / draws.length,
  };
}

/** The draws before the rows. */
function design(plan: FescPlan, run: number, gamma: number) {
  const streams = trialStreams(plan.seed, run, gamma);
  const source = lawSource(streams.design);
  const mean = meanSize(plan.nodes, gamma);
  const draws = Array.from({ length: plan.nodes }, () => laws[plan.law].draw(mean, source));
  const sizes = draws.map(wholeSize);
  const truth = Float64Array.from({ length: plan.dimension }, source.uniform);
  return { draws, sizes, truth, lambda: 1 / Math.sqrt(sum(sizes)), seed: streams.rows };
}

/** Largest distance of ridge on the sum of the nodes' Grams from ridge on all rows as one node, over ‖θ‖, in the first run up to γ = 0.6. */
export function pooledGap(plan: FescPlan, nodes: SimulatedNodes): number {
  const gaps = [0, 1, 2, 3, 4].map((gamma) => {
    const { sizes, truth, lambda, seed } = design(plan, 0, gamma);
    nodes.start(seed, truth);
    for (const size of sizes) nodes.node(size, lambda);
    const fused = Float64Array.from(nodes.pooled(lambda));
    nodes.start(seed, truth);
    const whole = nodes.node(sum(sizes), lambda);
    return squaredDistance(fused, whole) / squaredDistance(whole, new Float64Array(whole.length));
  });
  return Math.sqrt(Math.max(...gaps));
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

function addTimes(to: Float64Array, factor: number, values: Float64Array): void {
  for (let j = 0; j < to.length; j++) to[j]! += factor * values[j]!;
}

function squaredDistance(a: Float64Array, b: Float64Array): number {
  let total = 0;
  for (let j = 0; j < a.length; j++) total += (a[j]! - b[j]!) * (a[j]! - b[j]!);
  return total;
}
