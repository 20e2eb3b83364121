import { accuracyTask } from './accuracy-task.ts';
import { fuseTask } from './fuse-task.ts';
import { repairTask } from './repair-task.ts';
import { timeTask } from './time-task.ts';
import { trainTask } from './train-task.ts';

/** Everything that threads can be asked to do. */
export const tasks = {
  train: trainTask,
  fuse: fuseTask,
  repair: repairTask,
  accuracy: accuracyTask,
  time: timeTask,
} as const;

export type TaskName = keyof typeof tasks;
export type TaskInput<Name extends TaskName> = Parameters<(typeof tasks)[Name]>[0];
export type TaskOutput<Name extends TaskName> = Awaited<ReturnType<(typeof tasks)[Name]>>;
