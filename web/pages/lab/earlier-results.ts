import type { ResultFigure } from '../../../experiments/paper-result.ts';
import type { RidgeCardName } from './ridge-cards.ts';

/** Figures with the usual settings, measured before; test/lab-earlier.ts makes them. */
export interface EarlierResults {
  /** The day they were measured, ISO 8601. */
  readonly date: string;
  readonly fesc: readonly ResultFigure[];
  readonly ridge: Readonly<Record<RidgeCardName, readonly ResultFigure[]>>;
}
