import type { Kernels } from '../../src/numeric/kernels.ts';
import type { Client } from './client.ts';

/** A method that learns in rounds. */
export interface Baseline {
  readonly name: string;
  /** Vectors of d numbers that a client receives, and sends, in a round. */
  readonly down: readonly string[];
  readonly up: readonly string[];
  /** What a client receives in the first round, if different. */
  readonly firstDown?: readonly string[];
  /** The model after round 1, 2, … without end, from w = 0; one client after another. */
  iterates(
    kernels: Kernels,
    clients: readonly Client[],
    ridge: number,
  ): Generator<Float64Array, never, void>;
}
