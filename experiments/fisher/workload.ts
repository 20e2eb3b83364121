import type { ExperimentStep } from '../paper-result.ts';
import type { TaskReport } from './task.ts';

/** The work of an experiment: which share of it is done, over all threads. */
export interface Workload {
  /** Begins a task of some seconds, about; one with a name that was begun before counts once. */
  begin(
    name: string,
    what: string,
    seconds: number,
  ): { readonly report: TaskReport; end(took: number): void };
  step(): ExperimentStep;
  /** Seconds of all tasks that have ended, also of those that an earlier run has done. */
  spent(): number;
}

/** Work of some seconds of one core in all, about. */
export function createWorkload(allSeconds: number): Workload {
  let ended = 0;
  let spent = 0;
  const open = new Map<object, number>();
  const begun = new Set<string>();
  let latest = 'reading';
  return {
    begin(name, what, allOfIt) {
      const task = {};
      const isNew = !begun.has(name);
      const seconds = isNew ? allOfIt : 0;
      begun.add(name);
      return {
        report(share, step) {
          open.set(task, share * seconds);
          latest = `${what}, ${step}`;
        },
        end(took) {
          open.delete(task);
          ended += seconds;
          if (isNew) spent += took;
        },
      };
    },
    spent: () => spent,
    step() {
      let done = ended;
      for (const seconds of open.values()) done += seconds;
      return { done: Math.min(1, done / allSeconds), what: latest };
    },
  };
}

/** Milliseconds between two steps. */
const INTERVAL = 250;

/** Yields the steps of some work until it ends. */
export async function* stepsOf<T>(
  work: Promise<T>,
  load: Workload,
): AsyncGenerator<ExperimentStep, T, void> {
  let isOver = false;
  const over = work.then(
    () => {
      isOver = true;
    },
    () => {
      isOver = true;
    },
  );
  while (!isOver) {
    let timer: NodeJS.Timeout | undefined;
    const pause = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, INTERVAL);
    });
    await Promise.race([over, pause]);
    clearTimeout(timer);
    yield load.step();
  }
  return work;
}
