import type { Step } from '../paper-result.ts';

/** Something that takes long enough to be told about; yields how much of it is done, from 0 to 1. */
export type Work<T> = Generator<number, T, void>;

/** A part of an experiment: its steps lie between `from` and `to`. */
export function* part<T>(
  [from, to]: readonly [from: number, to: number],
  what: string,
  work: Work<T>,
): Generator<Step, T, void> {
  for (;;) {
    const next = work.next();
    if (next.done === true) return next.value;
    yield { done: from + (to - from) * next.value, what };
  }
}

/** One work after another, as one; `share` says where in the whole each lies. */
export function* share<T>(from: number, to: number, work: Work<T>): Work<T> {
  for (;;) {
    const next = work.next();
    if (next.done === true) return next.value;
    yield from + (to - from) * next.value;
  }
}

/** Does all of it at once. */
export function finish<T>(work: Work<T>): T {
  for (;;) {
    const next = work.next();
    if (next.done === true) return next.value;
  }
}
