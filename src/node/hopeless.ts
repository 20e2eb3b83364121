import type { Agreement } from '../federate.ts';
import { aboutExcess } from '../model/excess-text.ts';
import { grouped } from '../model/number-text.ts';
import { rowsForExcess } from '../privacy/forecast.ts';
import { Refusal } from '../protocol/refusal.ts';

/** Refuses a private study whose noise would drown its answer: the budget would be spent on nothing. */
export function refuseHopeless(
  { method: { noise } }: Agreement,
  rows: number,
  contributions: number,
): void {
  // What refinements bring is not forecast: they may save what one round cannot.
  if (noise === undefined || (noise.terms.rounds ?? 0) > 0) return;
  const forecast = noise.forecast({ rows, sites: contributions });
  if (forecast.verdict !== 'refuse') return;
  throw new Refusal(
    'not-allowed',
    `noise would drown the answer: it would add ${aboutExcess(forecast.expectedExcess)} of the explained variance to the error of predictions; nothing was spent`,
    `${grouped(rowsForExcess(0.01, forecast, rows))} rows would bring it to 1 %; so might fewer columns, rounds or a larger ε`,
    { name: 'force', value: 'fit' },
  );
}
