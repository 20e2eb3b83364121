import { UsageError } from './failure.ts';

export function epsilonFlag(text: string): number {
  const value = Number(text);
  if (value > 0 && value <= 1000) return value;
  throw new UsageError(`--epsilon must be above 0, and 1000 at most: ${text}`, 'try --epsilon 1');
}

export function deltaFlag(text: string): number {
  const value = Number(text);
  if (value > 0 && value < 1) return value;
  throw new UsageError(`--delta must be between 0 and 1: ${text}`, 'try --delta 1e-6');
}

export function muFlag(text: string): number {
  const value = Number(text);
  if (value > 0 && value < Number.POSITIVE_INFINITY) return value;
  throw new UsageError(`--mu must be positive: ${text}`, 'try --mu 0.25');
}
