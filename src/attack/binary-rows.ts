import { binaryCandidates, type PatternProgress } from './binary-candidates.ts';
import { rowMultiplicities } from './row-multiplicities.ts';
import { rowSpace } from './row-space.ts';

/** Rows of bits found from their counts alone. */
export interface FoundRows {
  /** Each row as often as it occurs, the constant first. */
  readonly rows: readonly Uint8Array[];
  /** Whether no other rows have the same counts. */
  readonly unique: boolean;
}

/** Most dimensions for which every pattern is tried: 2²⁶ patterns, a few seconds. */
export const MOST_DIMENSIONS = 27;
/** Most candidate rows whose multiplicities are solved for. */
const MOST_CANDIDATES = 400;

/**
 * The rows b of bits, b₀ = 1, with Σ b bᵀ = `counts` (full, row-major): each lies in the range of the matrix, so few
 * patterns are left to try where it has few dimensions. Returns the reason if they cannot be found.
 */
export function binaryRows(
  counts: Float64Array,
  progress: PatternProgress = () => {},
): FoundRows | { readonly hidden: string } {
  const width = Math.sqrt(counts.length);
  if (width === 1) return { hidden: 'no column has just two values' };
  const space = rowSpace(counts, width, MOST_DIMENSIONS);
  if (space === undefined) {
    return { hidden: `its two-valued columns span more than ${MOST_DIMENSIONS} dimensions` };
  }
  const candidates = binaryCandidates(
    space,
    width,
    (bits) => isPossible(counts, bits, width),
    MOST_CANDIDATES,
    progress,
  );
  if (candidates === undefined) {
    return { hidden: `more than ${MOST_CANDIDATES} different rows are possible` };
  }
  const found = rowMultiplicities(candidates, counts);
  if (found === undefined) return { hidden: 'several sets of rows give this statistic' };
  const rows = candidates.flatMap((bits, k) => Array.from({ length: found.times[k] }, () => bits));
  return { rows, unique: found.unique };
}

/** Whether every two bits of a row are in a non-empty cell of their two-way table. */
function isPossible(counts: Float64Array, bits: Uint8Array, width: number): boolean {
  for (let i = 0; i < width; i++) {
    for (let j = i; j < width; j++) {
      const [one, other] = [counts[i * width + i], counts[j * width + j]];
      const both = counts[i * width + j];
      const cells = [
        [counts[0] - one - other + both, other - both],
        [one - both, both],
      ];
      if (cells[bits[i]][bits[j]] < 0.5) return false;
    }
  }
  return true;
}
