import type { Agreement } from '../federate.ts';
import { aboutExcess } from '../model/excess-text.ts';
import { grouped } from '../model/number-text.ts';
import { type Forecast, rowsForExcess } from '../privacy/forecast.ts';

/** What noise will do to a private study, as far as its terms tell; undefined of a study without noise. */
export interface StudyForecast {
  /** Absent where the study does not say how many rows it expects. */
  readonly forecast?: Forecast;
  /** A few sentences for whoever decides. */
  readonly words: readonly string[];
}

export function studyForecast(
  { method: { noise } }: Agreement,
  sites: number,
): StudyForecast | undefined {
  if (noise === undefined || noise.terms.refinement !== undefined) return undefined;
  const { expectedRows: rows, rounds = 0 } = noise.terms;
  if (rows === undefined) {
    const needed = rowsForExcess(0.01, noise.forecast({ rows: 1, sites }), 1);
    return {
      words: [
        `no forecast: the study does not say how many rows it expects ("expectedRows" under "privacy").`,
        `For noise to add 1 % of the explained variance to the error it needs about ${grouped(needed)} rows.`,
      ],
    };
  }
  const forecast = noise.forecast({ rows, sites });
  return { forecast, words: forecastWords(forecast, rows, rounds) };
}

function forecastWords(forecast: Forecast, rows: number, rounds: number): string[] {
  const { expectedExcess, verdict } = forecast;
  const excess = `forecast: noise adds ${aboutExcess(expectedExcess)} of the explained variance to the error of predictions`;
  const needed = `1 % would take ${grouped(rowsForExcess(0.01, forecast, rows))} rows`;
  if (verdict === 'one-shot') return [`${excess}.`];
  const more =
    rounds > 0
      ? `The ${rounds} planned ${rounds === 1 ? 'refinement brings' : 'refinements bring'} it down, often by far`
      : 'Refinements (1+4 rounds), fewer columns or a larger ε would help';
  const refused = verdict === 'refuse' && rounds === 0 ? ['The answer would be mostly noise.'] : [];
  return [`${excess}; ${needed}.`, ...refused, `${more}.`];
}
