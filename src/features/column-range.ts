import type { LevelTest } from '../study/formula-expression.ts';
import type { Interval } from './interval.ts';

/** What the codebook says about columns; both throw if the column cannot be used this way. */
export interface ColumnRange {
  intervalOf(name: string, position: number): Interval;
  checkLevel(test: LevelTest, position: number): void;
}
