import type { Watch } from '../../src/rows/watch.ts';
import type { Call } from './worker-messages.ts';

/** Progress of reading a file. */
export interface WorkProgress {
  readonly phase: string;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly rows: number;
  /** Seconds since the phase began. */
  readonly seconds: number;
}

const PAUSE = 200;

/** Sends the progress of a reading to the page, at most every 200 ms. */
export function progressWatch(call: Pick<Call<WorkProgress>, 'update'>): Watch {
  return (phase, totalBytes) => {
    const began = performance.now();
    let updated = 0;
    call.update({ phase, bytes: 0, totalBytes, rows: 0, seconds: 0 });
    return {
      update(bytes, rows) {
        const now = performance.now();
        if (now - updated < PAUSE) return;
        updated = now;
        call.update({ phase, bytes, totalBytes, rows, seconds: (now - began) / 1000 });
      },
      done() {},
    };
  };
}
