import { Worker } from 'node:worker_threads';
import type { TaskData, TaskReport } from './task.ts';
import type { TaskInput, TaskName, TaskOutput } from './tasks.ts';
import { runTask, type TaskAnswer, type ThreadTask } from './thread.ts';

/** What a task has found, and the seconds that it took. */
export interface Timed<T> {
  readonly output: T;
  readonly seconds: number;
}

/** Threads that share the images of an experiment and take tasks in the order in which they are asked. */
export interface Crew {
  run<Name extends TaskName>(
    name: Name,
    input: TaskInput<Name>,
    report: TaskReport,
  ): Promise<Timed<TaskOutput<Name>>>;
  close(): Promise<void>;
}

interface Waiting extends ThreadTask {
  readonly report: TaskReport;
  resolve(done: Timed<unknown>): void;
  reject(failure: Error): void;
}

/** Whether this runs from its TypeScript source, which has no script for threads beside it. */
const fromSource = import.meta.url.endsWith('.ts');

type Run = (task: ThreadTask, hear: (answer: TaskAnswer) => void) => void;

/** A crew of some threads; from the source, this thread does all. */
export function createCrew(threads: number, data: TaskData): Crew {
  const workers = fromSource ? [] : Array.from({ length: threads }, () => startWorker(data));
  const here: Run = (task, hear) => setImmediate(() => void runTask(task, data, hear));
  const free: Run[] = fromSource ? [here] : workers.map(({ run }) => run);
  const queue: Waiting[] = [];
  const next = () => {
    const task = queue[0];
    const run = free[0];
    if (task === undefined || run === undefined) return;
    queue.shift();
    free.shift();
    run({ name: task.name, input: task.input }, (answer) => {
      if ('share' in answer) {
        task.report(answer.share, answer.what);
        return;
      }
      free.push(run);
      if ('output' in answer) task.resolve(answer);
      else task.reject(new Error(answer.problem));
      next();
    });
  };
  return {
    run: (name, input, report) =>
      new Promise((resolve, reject) => {
        const done = resolve as (done: Timed<unknown>) => void;
        queue.push({ name, input, report, resolve: done, reject });
        next();
      }),
    async close() {
      queue.length = 0;
      await Promise.all(workers.map(({ worker }) => worker.terminate()));
    },
  };
}

function startWorker(data: TaskData): { readonly worker: Worker; readonly run: Run } {
  const worker = new Worker(new URL('./fisher-thread.js', import.meta.url), { workerData: data });
  let hear: ((answer: TaskAnswer) => void) | undefined;
  worker.on('message', (answer: TaskAnswer) => hear?.(answer));
  worker.on('error', (failure) => hear?.({ problem: failure.message }));
  return {
    worker,
    run(task, listener) {
      hear = listener;
      worker.postMessage(task);
    },
  };
}
