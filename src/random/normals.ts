import { naturalLog } from './natural-log.ts';
import type { WordSource } from './words.ts';

/**
 * Standard normals as doubles, by the polar method, with the same bits on every engine: for simulated data and public
 * projections, never for noise (Mironov 2012).
 */
export function normals(random: WordSource): () => number {
  const signed = () => ((random() >>> 5) * 67108864 + (random() >>> 6)) / 2 ** 52 - 1;
  let spare = Number.NaN;
  return () => {
    if (!Number.isNaN(spare)) {
      const value = spare;
      spare = Number.NaN;
      return value;
    }
    for (;;) {
      const x = signed();
      const y = signed();
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const stretch = Math.sqrt((-2 * naturalLog(square)) / square);
      spare = y * stretch;
      return x * stretch;
    }
  };
}
