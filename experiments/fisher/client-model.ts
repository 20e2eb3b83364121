import type { KfacFactors } from '../../src/network/fuse-kfac.ts';

/** What a client has after its training; the Fisher information is exact, and the mean over its images. */
export interface ClientModel {
  readonly rows: number;
  readonly weights: Float32Array;
  readonly classCounts: Float64Array;
  /** Loss of the last epoch. */
  readonly loss: number;
  readonly fisher?: ClientFisher;
}

export interface ClientFisher {
  readonly diagonal: Float64Array;
  readonly factors: readonly KfacFactors[];
}
