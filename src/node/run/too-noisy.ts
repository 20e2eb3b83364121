import type { Agreement } from '../../federate.ts';
import { rowsForExcess } from '../../privacy/forecast.ts';
import { Refusal } from '../../protocol/refusal.ts';
import { aboutExcess, grouped } from '../../text/number-text.ts';

/** Refuses a private study with too much noise: it would spend the privacy budget for a useless answer. */
export function refuseTooNoisy(
  { method: { noise } }: Agreement,
  rows: number,
  contributions: number,
): void {
  // There is no forecast for refinements: they may work although one round does not.
  if (noise === undefined || (noise.terms.rounds ?? 0) > 0) return;
  const forecast = noise.forecast({ rows, sites: contributions });
  if (forecast.verdict !== 'refuse') return;
  throw new Refusal(
    'not-allowed',
    `the answer would be mostly noise, which would add ${aboutExcess(forecast.expectedExcess)} of the explained variance to the error of predictions; nothing was spent`,
    `${grouped(rowsForExcess(0.01, forecast, rows))} rows would reduce this to 1 %; fewer columns, refinement rounds or a larger ε would also help`,
    { name: 'force', value: 'fit' },
  );
}
