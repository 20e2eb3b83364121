import { binaryCandidates, type PatternProgress } from './binary-candidates.ts';
import { rowMultiplicities } from './row-multiplicities.ts';
import { rowSpace } from './row-space.ts';

/** Rows of bits found by their counts alone. */
export interface FoundRows {
  /** Each with the constant first, as often as it occurs. */
  readonly rows: readonly Uint8Array[];
  /** Whether no other rows have the same counts. */
  readonly unique: boolean;
}

/** Dimensions up to which every pattern is tried: 2²⁶ of them, a few seconds. */
export const MOST_DIMENSIONS = 27;
/** Candidates up to which their numbers are solved for. */
const MOST_CANDIDATES = 400;

/**
 * The rows b of bits, b₀ = 1, with Σ b bᵀ = `counts` (full, row-major): each lies in the range of the matrix, so few
 * patterns are left to try where it has few dimensions. Gives the reason where they cannot be found.
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

/** Whether every two bits of a row fall in a cell of their two-way table that is not empty. */
function isPossible(counts: Float64Array, bits: Uint8Array, width: number): boolean {
  for (let i = 0; i < width; i++) {
    for (let j = i; j < width; j++) {
      const both = counts[i * width + j];
      const without = (bits[i] === 1 ? counts[i * width + i] : counts[j * width + j]) - both;
      const neither = counts[0] - counts[i * width + i] - counts[j * width + j] + both;
      const cell = bits[i] !== bits[j] ? without : bits[i] === 1 ? both : neither;
      if (cell < 0.5) return false;
    }
  }
  return true;
}
