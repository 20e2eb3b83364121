import type { SiteCounts } from './evaluation.ts';
import { isEvaluationCounts } from './evaluation-counts.ts';
import { areClassCounts, type ManyClassCounts } from './many-class-counts.ts';

/** Whether a value read from JSON has valid, consistent counts of an evaluation. */
export function isSiteCounts(value: unknown): value is SiteCounts {
  if (isEvaluationCounts(value)) return true;
  const file = value as Partial<ManyClassCounts> | null;
  if (typeof file !== 'object' || file?.schema !== 'suffice/evaluation@2') return false;
  const { levels, bins, smallest } = file;
  return (
    typeof file.model === 'string' &&
    typeof file.study === 'string' &&
    typeof file.label === 'string' &&
    Array.isArray(levels) &&
    levels.every((level) => typeof level === 'string') &&
    Number.isSafeInteger(bins) &&
    Number.isSafeInteger(smallest) &&
    areClassCounts(file)
  );
}

/** How many numbers the counts of a site have. */
export function countedNumbers(counts: SiteCounts): number {
  if (counts.schema === 'suffice/evaluation@1') {
    return 2 * counts.bins * counts.histograms.length + counts.confusion.flat().length;
  }
  const { classes, confidence, bins } = counts;
  const pairs = classes.reduce((sum, { wrong }) => sum + 1 + wrong.length, 0);
  return pairs + bins + confidence.wrong.length;
}
