import { type Kernels, reproducibleKernels } from '../../src/numeric/kernels.ts';
import type { Baseline } from './baseline.ts';
import type { Client } from './client.ts';

/** A method's models over its rounds. */
export interface Trajectory {
  /** What `look` returned for round 1, 2, … */
  readonly seen: readonly number[];
  /** Seconds until the end of round 1, 2, …, all clients one after the other. */
  readonly seconds: readonly number[];
  /** After the last round. */
  readonly weights: Float64Array;
}

export interface TrajectoryOptions {
  readonly rounds: number;
  readonly look: (weights: Float64Array, round: number) => number;
  /** Whether to stop before all rounds are over. */
  readonly enough?: (seen: readonly number[]) => boolean;
}

/** Runs a baseline one client after another; yields its progress. */
export function* trajectory(
  baseline: Baseline,
  clients: readonly Client[],
  ridge: number,
  { rounds, look, enough = () => false }: TrajectoryOptions,
): Generator<number, Trajectory, void> {
  const kernels: Kernels = reproducibleKernels();
  const iterates = baseline.iterates(kernels, clients, ridge);
  const seen: number[] = [];
  const seconds: number[] = [];
  let weights = new Float64Array(0);
  let spent = 0;
  for (let round = 1; round <= rounds && !enough(seen); round++) {
    const begun = performance.now();
    weights = iterates.next().value as typeof weights;
    spent += (performance.now() - begun) / 1000;
    seconds.push(spent);
    seen.push(look(weights, round));
    if (round % 10 === 0) yield round / rounds;
  }
  return { seen, seconds, weights };
}

/** The first round after which every gap is within the tolerance; undefined if there is none. */
export function roundsWithin(gaps: readonly number[], tolerance: number): number | undefined {
  const last = gaps.findLastIndex((gap) => !(Math.abs(gap) <= tolerance));
  return last === gaps.length - 1 ? undefined : last + 2;
}

/** Whether the model no longer changes, so that further rounds show nothing new. */
export function atRest(gaps: readonly number[]): boolean {
  return gaps.length >= 500 && Math.abs(gaps.at(-1)! - gaps.at(-51)!) < 1e-11;
}
