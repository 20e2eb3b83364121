import type { Network } from '../../src/network/network.ts';
import { tested } from './fuse-task.ts';
import type { Task } from './task.ts';

export interface AccuracyInput {
  readonly network: Network;
  readonly weights: Float32Array;
}

/** The share of the test images that a network has right. */
export const accuracyTask: Task<AccuracyInput, number> = ({ network, weights }, { test }) =>
  tested({ network, weights: Float64Array.from(weights) }, test).accuracy;
