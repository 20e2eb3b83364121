import type { Watch } from '../../src/rows/watch.ts';
import type { Call } from './conversation.ts';

/** How far a reading is. */
export interface Progress {
  readonly phase: string;
  readonly bytes: number;
  readonly totalBytes: number;
  readonly rows: number;
  /** Since the phase began. */
  readonly seconds: number;
}

const PAUSE = 200;

/** Tells a page of a reading, not more often than it can draw. */
export function progressWatch({ tell }: Pick<Call<Progress>, 'tell'>): Watch {
  return (phase, totalBytes) => {
    const began = performance.now();
    let told = 0;
    tell({ phase, bytes: 0, totalBytes, rows: 0, seconds: 0 });
    return {
      update(bytes, rows) {
        const now = performance.now();
        if (now - told < PAUSE) return;
        told = now;
        tell({ phase, bytes, totalBytes, rows, seconds: (now - began) / 1000 });
      },
      done() {},
    };
  };
}
