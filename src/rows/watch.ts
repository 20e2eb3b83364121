import type { TrainingProgress } from '../network/training-progress.ts';

/** Starts a progress display: the phase, and its total bytes. */
export type Watch = (phase: string, totalBytes: number) => Watched;

export interface Watched {
  /** Bytes and rows read so far; then how far a training is. */
  update(bytes: number, rows: number, training?: TrainingProgress): void;
  done(): void;
}
