import type { SharedImages } from './shared-images.ts';

/** The images of an experiment. */
export interface TaskData {
  readonly train: SharedImages;
  readonly test: SharedImages;
}

/** Called with the share of a task that is done, from 0 to 1, and the current step. */
export type TaskReport = (share: number, what: string) => void;

/** A piece of work for one thread: its input and output are plain data. */
export type Task<In, Out> = (input: In, data: TaskData, report: TaskReport) => Out | Promise<Out>;
