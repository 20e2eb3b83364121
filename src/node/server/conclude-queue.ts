import type { Conclude, ConclusionWork } from '../../coordinator/coordinator-context.ts';
import type { Failure } from '../../failure.ts';

/** A place where one study is resolved at a time. */
export interface Resolver {
  readonly conclude: Conclude;
  /** Gives up what it is doing, which then has no answer. */
  giveUp(): void;
}

/** Longest times, in milliseconds. */
export interface TimeLimits {
  readonly resolution: number;
  readonly analysis: number;
}

export const usualTimeLimits: TimeLimits = { resolution: 1_800_000, analysis: 60_000 };

interface Task {
  readonly work: ConclusionWork;
  readonly resolve: (answer: Awaited<ReturnType<Conclude>>) => void;
  readonly reject: (failure: unknown) => void;
}

/**
 * Gives work to a resolver one by one: resolutions before analyses, each in order of arrival. What takes too long is given up,
 * so a resolution waits for one analysis at most.
 */
export function concludeInOrder(
  resolver: Resolver,
  limits: TimeLimits = usualTimeLimits,
): Conclude {
  const resolutions: Task[] = [];
  const analyses: Task[] = [];
  let busy = false;

  const run = async ({ work, resolve, reject }: Task): Promise<void> => {
    const milliseconds = work.query === undefined ? limits.resolution : limits.analysis;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<Failure>((answer) => {
      timer = setTimeout(() => {
        answer(tookTooLong(work, milliseconds));
        resolver.giveUp();
      }, milliseconds);
    });
    const answer = resolver.conclude(work);
    answer.catch(() => {}); // given up
    try {
      resolve(await Promise.race([late, answer]));
    } catch (failure) {
      reject(failure);
    } finally {
      clearTimeout(timer);
    }
  };

  const next = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    for (;;) {
      const task = resolutions.shift() ?? analyses.shift();
      if (task === undefined) break;
      await run(task);
    }
    busy = false;
  };

  return (work) =>
    new Promise((resolve, reject) => {
      const line = work.query === undefined ? resolutions : analyses;
      line.push({ work, resolve, reject });
      void next();
    });
}

function tookTooLong({ query }: ConclusionWork, milliseconds: number): Failure {
  const seconds = Math.round(milliseconds / 1000);
  return query === undefined
    ? {
        problem: `the model was not found within ${seconds} seconds`,
        remedy: 'make a study with fewer columns, or a fixed penalty',
      }
    : {
        problem: `the answer was not found within ${seconds} seconds`,
        remedy: 'ask fewer questions at once, or answer them from the total on your own machine',
      };
}
