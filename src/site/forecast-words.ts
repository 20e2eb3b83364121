import type { Agreement } from '../federate.ts';
import { grouped } from '../model/number-text.ts';
import { type Forecast, forecastFor } from '../privacy/forecast.ts';
import { privateColumns } from '../privacy/private-layout.ts';

/** What noise will do to a private study, as far as its terms tell; undefined of a study without noise. */
export interface StudyForecast {
  /** Absent where the study does not say how many rows it expects. */
  readonly forecast?: Forecast;
  /** One or two sentences for whoever decides. */
  readonly words: readonly string[];
}

export function studyForecast(
  { study: { privacy }, layout }: Agreement,
  sites: number,
): StudyForecast | undefined {
  if (!privacy || privacy.refinement !== undefined) return undefined;
  const { expectedRows: rows } = privacy;
  const columns = privateColumns(layout);
  if (rows === undefined) {
    const { rowsForOnePercent } = forecastFor(privacy, { rows: 1, columns, sites });
    return {
      words: [
        `no forecast: the study does not say how many rows it expects ("expectedRows" under "privacy").`,
        `For noise to add 1 % of the explained variance to the error it needs about ${grouped(Math.ceil(rowsForOnePercent))} rows.`,
      ],
    };
  }
  const forecast = forecastFor(privacy, { rows, columns, sites });
  return { forecast, words: forecastWords(forecast, privacy.rounds ?? 0) };
}

function forecastWords(forecast: Forecast, rounds: number): string[] {
  const { expectedExcess, verdict, rowsForOnePercent } = forecast;
  const excess = `forecast: noise adds about ${percent(expectedExcess)} of the explained variance to the error of predictions`;
  const needed = `1 % would take ${grouped(Math.ceil(rowsForOnePercent))} rows`;
  if (verdict === 'one-shot') return [`${excess}.`];
  const more =
    rounds > 0
      ? `The ${rounds} planned ${rounds === 1 ? 'refinement brings' : 'refinements bring'} it down, often by far`
      : 'Refinements (1+4 rounds: --refinements 4), fewer columns or a larger ε would help';
  return [`${excess}; ${needed}.`, `${more}.`];
}

function percent(share: number): string {
  return share < 10 ? `${(100 * share).toPrecision(2)} %` : `${grouped(Math.round(share))} times`;
}
