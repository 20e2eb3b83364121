import { DELTA_LIMIT } from '../../study/promise-doubts.ts';
import { UsageError } from '../usage-error.ts';
import { wholeNumber } from './flags.ts';

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

/** With a δ of this size or more, publishing whole rows at random would keep the promise. */
export function promisedDelta(text: string): number {
  const delta = deltaFlag(text);
  if (delta < DELTA_LIMIT) return delta;
  throw new UsageError(
    `--delta must be below ${DELTA_LIMIT}, and should be well below 1/rows: ${text}`,
    'try --delta 1e-6',
  );
}

const MOST_REFINEMENTS = 5;

export function refinementsFlag(text: string): number {
  const rounds = wholeNumber('--refinements', text);
  if (rounds <= MOST_REFINEMENTS) return rounds;
  throw new UsageError(
    `--refinements is ${MOST_REFINEMENTS} at most: ${rounds}`,
    'try --refinements 4',
  );
}
