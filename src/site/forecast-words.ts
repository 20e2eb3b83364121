import type { Agreement } from '../federate.ts';
import { aboutExcess } from '../model/excess-text.ts';
import { grouped } from '../model/number-text.ts';
import type { Option } from '../option.ts';
import { type Forecast, rowsForExcess } from '../privacy/forecast.ts';

/** What noise will do to a private study, as far as its terms tell; undefined of a study without noise. */
export interface StudyForecast {
  /** Absent where the study does not say how many rows it expects. */
  readonly forecast?: Forecast;
  /** A few sentences for whoever decides. */
  readonly remarks: readonly Remark[];
}

/** A sentence, and the choice that it speaks of, if any. */
export interface Remark {
  readonly text: string;
  readonly option?: Option;
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
      remarks: [
        {
          text: 'no forecast: the study does not say how many rows it expects ("expectedRows" under "privacy").',
        },
        {
          text: `For noise to add 1 % of the explained variance to the error it needs about ${grouped(needed)} rows.`,
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
  const needed = `1 % would take ${grouped(rowsForExcess(0.01, forecast, rows))} rows`;
  if (verdict === 'one-shot') return [{ text: `${excess}.` }];
  const expected: Remark = { text: `${excess}; ${needed}.` };
  if (rounds > 0) {
    const planned = rounds === 1 ? 'refinement brings' : 'refinements bring';
    return [expected, { text: `The ${rounds} planned ${planned} it down, often by far.` }];
  }
  const hopeless: Remark = {
    text: 'The answer would be mostly noise.',
    option: { name: 'force', value: 'create' },
  };
  const help: Remark = {
    text: 'What would help: fewer columns, a larger ε, or refinements in 1+4 rounds.',
    option: { name: 'refinements', value: 4 },
  };
  return [expected, ...(verdict === 'refuse' ? [hopeless] : []), help];
}
