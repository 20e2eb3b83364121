import type { Agreement } from '../federate.ts';
import type { Option } from '../option.ts';
import { type Forecast, rowsForExcess } from '../privacy/forecast.ts';
import { aboutExcess, grouped } from '../text/number-text.ts';

/** How much the noise will disturb a private study, from its terms alone. */
export interface StudyForecast {
  /** Absent if the study does not say how many rows it expects. */
  readonly forecast?: Forecast;
  /** A few sentences for the analyst. */
  readonly remarks: readonly Remark[];
}

/** A sentence, and the option that it is about, if any. */
export interface Remark {
  readonly text: string;
  readonly option?: Option;
}

/** The forecast of a private study; undefined for a study without noise. */
export function studyForecast(
  { method: { noise } }: Agreement,
  sites: number,
): StudyForecast | undefined {
  if (noise === undefined || noise.terms.refinement !== undefined) return undefined;
  const { expectedRows: rows, rounds = 0 } = noise.terms;
  if (rows === undefined) {
    const needed = rowsForExcess(0.01, noise.forecast({ rows: 1, sites }), 1);
    return {
      remarks: [
        {
          text: 'no forecast: the study does not say how many rows it expects ("expectedRows" under "privacy").',
        },
        {
          text: `For the noise to add only 1 % of the explained variance to the error, the study needs about ${grouped(needed)} rows.`,
        },
      ],
    };
  }
  const forecast = noise.forecast({ rows, sites });
  return { forecast, remarks: forecastRemarks(forecast, rows, rounds) };
}

function forecastRemarks(forecast: Forecast, rows: number, rounds: number): Remark[] {
  const { expectedExcess, verdict } = forecast;
  const excess = `forecast: noise adds ${aboutExcess(expectedExcess)} of the explained variance to the error of predictions`;
  const needed = `1 % would need ${grouped(rowsForExcess(0.01, forecast, rows))} rows`;
  if (verdict === 'one-shot') return [{ text: `${excess}.` }];
  const expected: Remark = { text: `${excess}; ${needed}.` };
  if (rounds > 0) {
    const planned = rounds === 1 ? 'refinement reduces' : 'refinements reduce';
    return [expected, { text: `The ${rounds} planned ${planned} it, often by much.` }];
  }
  const tooNoisy: Remark = {
    text: 'The answer would be mostly noise.',
    option: { name: 'force', value: 'create' },
  };
  const help: Remark = {
    text: 'What would help: fewer columns, a larger ε, or refinements in 1+4 rounds.',
    option: { name: 'refinements', value: 4 },
  };
  return [expected, ...(verdict === 'refuse' ? [tooNoisy] : []), help];
}
