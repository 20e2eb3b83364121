import type { TrainingState } from './train.ts';

/** How far a site's training is. */
export interface TrainingProgress {
  /** Epochs done, with a fraction within one. */
  readonly epoch: number;
  readonly epochs: number;
  /** Epochs that an earlier run had done, where this one goes on with it. */
  readonly from?: number;
  /** Mean loss of the rows since the last report. */
  readonly loss: number;
  /** What a later run can go on from; after whole epochs only. */
  readonly kept?: KeptTraining;
}

/** The state of a training, and what it is a training of. */
export interface KeptTraining {
  /** Digest of the terms and the rows: a training of other rows is not gone on with. */
  readonly of: string;
  readonly state: TrainingState;
}
