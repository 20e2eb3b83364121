import type { Kernels } from '../../src/numeric/kernels.ts';
import type { Client } from './client.ts';

/** A method that learns in rounds. */
export interface Baseline {
  readonly name: string;
  /** Vectors of d numbers a client gets, and sends, in a round. */
  readonly down: readonly string[];
  readonly up: readonly string[];
  /** What a client gets in the first round, where that is something else. */
  readonly firstDown?: readonly string[];
  /** The model after round 1, 2, … without end, from w = 0; client by client. */
  iterates(
    kernels: Kernels,
    clients: readonly Client[],
    ridge: number,
  ): Generator<Float64Array, never, void>;
}
