import type { PointWork } from './link-points.ts';

/** Does all of the work at once. */
export function workAtOnce<T>(work: PointWork<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

const SLICE_MS = 50;

/** Does the work in slices, so that others can run, hear of it, or stop it. */
export async function workInSlices<T>(
  work: PointWork<T>,
  progress: (done: number) => void = () => {},
  signal?: AbortSignal,
): Promise<T> {
  for (;;) {
    const until = performance.now() + SLICE_MS;
    let points = 0;
    while (performance.now() < until) {
      const { done, value } = work.next();
      if (done) return value;
      points = value;
    }
    progress(points);
    await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
  }
}
