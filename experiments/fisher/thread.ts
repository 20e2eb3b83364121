import { parentPort, workerData } from 'node:worker_threads';
import type { TaskData } from './task.ts';
import { type TaskInput, type TaskName, tasks } from './tasks.ts';

/** A message to a thread. */
export interface ThreadTask {
  readonly name: TaskName;
  readonly input: TaskInput<TaskName>;
}

/** A message from a thread. */
export type TaskAnswer =
  | { readonly share: number; readonly what: string }
  | { readonly output: unknown; readonly seconds: number }
  | { readonly problem: string };

/** Milliseconds between two reports. */
const REPORTED = 200;

/** Does one task. */
export async function runTask({ name, input }: ThreadTask, data: TaskData, tell: Tell) {
  const begun = performance.now();
  let last = 0;
  const report = (share: number, what: string) => {
    if (performance.now() - last < REPORTED) return;
    last = performance.now();
    tell({ share, what });
  };
  const task = tasks[name] as (...of: unknown[]) => unknown;
  try {
    const output = await task(input, data, report);
    tell({ output, seconds: (performance.now() - begun) / 1000 });
  } catch (failure) {
    tell({ problem: failure instanceof Error ? (failure.stack ?? failure.message) : 'failed' });
  }
}

type Tell = (answer: TaskAnswer) => void;

const port = parentPort;
if (port !== null && workerData?.train !== undefined) {
  port.on('message', (task: ThreadTask) => {
    void runTask(task, workerData as TaskData, (answer) => port.postMessage(answer));
  });
}
