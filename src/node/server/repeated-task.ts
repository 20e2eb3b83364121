/** Work that runs at intervals, never twice at the same time. */
export interface RepeatedTask {
  /** Runs the work soon, before the next interval. */
  soon(): void;
  /** Stops, and waits for the current run. */
  stop(): Promise<void>;
}

/** Shortest time between two runs: many calls of `soon` lead to few runs. */
const PAUSE_MS = 100;

export function repeat(
  work: () => Promise<void>,
  everyMs: number,
  failed: (failure: unknown) => void,
): RepeatedTask {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let stopped = false;

  const run = async (): Promise<void> => {
    again = false;
    try {
      await work();
    } catch (failure) {
      failed(failure);
    }
  };
  const plan = (milliseconds: number): void => {
    clearTimeout(timer);
    if (stopped) return;
    timer = setTimeout(() => {
      running = run().finally(() => {
        running = undefined;
        plan(again ? PAUSE_MS : everyMs);
      });
    }, milliseconds);
  };
  plan(everyMs);
  return {
    soon() {
      if (again) return;
      again = true;
      if (running === undefined) plan(PAUSE_MS);
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
