import type { ExperimentStep } from '../paper-result.ts';

/** Work that takes long enough to show its progress; yields the share done, from 0 to 1. */
export type Work<T> = Generator<number, T, void>;

/** A part of an experiment; its progress runs from `from` to `to`. */
export function* progressPart<T>(
  [from, to]: readonly [from: number, to: number],
  what: string,
  work: Work<T>,
): Generator<ExperimentStep, T, void> {
  for (;;) {
    const next = work.next();
    if (next.done === true) return next.value;
    yield { done: from + (to - from) * next.value, what };
  }
}

/** Several works as one; `share` gives each its part of the progress. */
export function* share<T>(from: number, to: number, work: Work<T>): Work<T> {
  for (;;) {
    const next = work.next();
    if (next.done === true) return next.value;
    yield from + (to - from) * next.value;
  }
}

/** Does all of the work at once. */
export function finish<T>(work: Work<T>): T {
  for (;;) {
    const next = work.next();
    if (next.done === true) return next.value;
  }
}
