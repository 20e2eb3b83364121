/** Work that is done again and again, never twice at a time. */
export interface RepeatedTask {
  /** Does it without waiting for the next turn. */
  soon(): void;
  /** No more turns; waits for the one that runs. */
  stop(): Promise<void>;
}

/** Shortest time between two turns: a thousand calls of `soon` are a few turns. */
const BREATH_MS = 100;

export function repeat(
  work: () => Promise<void>,
  everyMs: number,
  failed: (failure: unknown) => void,
): RepeatedTask {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let stopped = false;

  const turn = async (): Promise<void> => {
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
      running = turn().finally(() => {
        running = undefined;
        plan(again ? BREATH_MS : everyMs);
      });
    }, milliseconds);
  };
  plan(everyMs);
  return {
    soon() {
      if (again) return;
      again = true;
      if (running === undefined) plan(BREATH_MS);
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
