import type { PrivacyTerms } from '../study/study.ts';
import { mechanismOf, responseCut } from './mechanism.ts';
import { placementOf } from './placement.ts';

/** The expected effect of the noise on a fit, before any budget is spent. */
export interface Forecast {
  /** Squared error that the noise adds to predictions, over the variance that the predictors explain, by the formula. */
  readonly relativeExcess: number;
  /** The same with the correction from simulations: 1.5 times the formula. */
  readonly expectedExcess: number;
  readonly verdict: ForecastVerdict;
  /** Fewest rows for which `relativeExcess` is at most 0.01. */
  readonly rowsForOnePercent: number;
}

/** `one-shot`: one round is enough. `warn`: a poor fit, which further rounds may improve. `refuse`: too noisy. */
export type ForecastVerdict = 'one-shot' | 'warn' | 'refuse';

export interface ForecastInput {
  readonly rows: number;
  readonly columns: number;
  /** μ of one release, for one row that is added or removed. */
  readonly mu: number;
  /** Share of G in the squared μ: 0.4 unless given; 0 if G is exact. */
  readonly gramShare?: number;
  /** Clipping bound of the response, in standard deviations. */
  readonly cut?: number;
  /** Number of noises in the total; 1 unless given. */
  readonly sites?: number;
}

const simulated = 1.5;
const plainGramShare = 0.4;

/** d²K/(n²μ²) · (d/2f + c²/(1 − f)) for n rows, d predictors and K noises, with isotropic predictors and a plain solve. */
export function forecastOf(input: ForecastInput): Forecast {
  const { rows, columns, mu, gramShare = plainGramShare, cut = responseCut, sites = 1 } = input;
  const gram = gramShare === 0 ? 0 : columns / (2 * gramShare);
  const rowsForAll = (columns / mu) * Math.sqrt(sites * (gram + cut ** 2 / (1 - gramShare)));
  const relativeExcess = (rowsForAll / rows) ** 2;
  const expectedExcess = simulated * relativeExcess;
  return {
    relativeExcess,
    expectedExcess,
    verdict: verdictOf(expectedExcess),
    rowsForOnePercent: Math.ceil(10 * rowsForAll),
  };
}

function verdictOf(expectedExcess: number): ForecastVerdict {
  if (expectedExcess <= 0.05) return 'one-shot';
  return expectedExcess <= 2 ? 'warn' : 'refuse';
}

/** Rows needed for a given expected excess, from a forecast for other rows. */
export function rowsForExcess(
  share: number,
  { expectedExcess }: Pick<Forecast, 'expectedExcess'>,
  rows: number,
): number {
  return Math.ceil(rows * Math.sqrt(expectedExcess / share));
}

/** The setting of a private study. */
export interface ForecastSetting {
  readonly rows: number;
  readonly columns: number;
  /** Number of sites; each adds its own noise if the placement is local. */
  readonly sites?: number;
}

/**
 * The forecast of the first round under these terms: neighbours, rows per person, releases and placement count through
 * the noise.
 */
export function forecastFor(
  terms: PrivacyTerms,
  { rows, columns, sites = 1 }: ForecastSetting,
): Forecast {
  const { refinement: _, ...first } = terms;
  const { sigma, bound } = mechanismOf({ ...first, rounds: 0 }, columns);
  const noises = placementOf(terms).noises(sites);
  // The μ that gives the same noise for one row, added or removed.
  return sigma.gram === 0
    ? forecastOf({ rows, columns, sites: noises, mu: bound / 2 ** 16 / sigma.moment, gramShare: 0 })
    : forecastOf({
        rows,
        columns,
        sites: noises,
        mu: 1 / (sigma.gram * Math.sqrt(plainGramShare)),
      });
}
