import type { PrivacyTerms } from '../study/study.ts';
import { mechanismOf, responseCut } from './mechanism.ts';

/** What noise will do to a fit, before any budget is spent. */
export interface Forecast {
  /** Squared error that noise adds to predictions, over the variance the predictors explain: the formula itself. */
  readonly relativeExcess: number;
  /** What simulations came to: half as much again. */
  readonly expectedExcess: number;
  readonly verdict: Verdict;
  /** Rows from which `relativeExcess` is at most 0.01. */
  readonly rowsForOnePercent: number;
}

/** One round is enough; it is a poor fit, which more rounds may mend; or it is not worth the budget. */
export type Verdict = 'one-shot' | 'warn' | 'refuse';

export interface ForecastInput {
  readonly rows: number;
  readonly columns: number;
  /** Of one release, for one row that is added or removed. */
  readonly mu: number;
  /** Share of G in the squared μ: 0.4 unless given; 0 where G is exact. */
  readonly gramShare?: number;
  /** Clipping of the response in standard deviations. */
  readonly cut?: number;
  /** Sites that add noise each, 1 unless given. */
  readonly sites?: number;
}

const simulated = 1.5;
const plainGramShare = 0.4;

/** d²K/(n²μ²) · (d/2f + c²/(1 − f)) for n rows, d predictors, K noises: isotropic predictors, plain solve. */
export function forecastOf(input: ForecastInput): Forecast {
  const { rows, columns, mu, gramShare = plainGramShare, cut = responseCut, sites = 1 } = input;
  const gram = gramShare === 0 ? 0 : columns / (2 * gramShare);
  const rowsForAll = (columns / mu) * Math.sqrt(sites * (gram + cut ** 2 / (1 - gramShare)));
  const relativeExcess = (rowsForAll / rows) ** 2;
  const expectedExcess = simulated * relativeExcess;
  return {
    relativeExcess,
    expectedExcess,
    verdict: expectedExcess <= 0.05 ? 'one-shot' : expectedExcess <= 2 ? 'warn' : 'refuse',
    rowsForOnePercent: Math.ceil(10 * rowsForAll),
  };
}

/** Rows that would bring the expected excess, forecast for so many rows, down to a share. */
export function rowsForExcess(
  share: number,
  { expectedExcess }: Pick<Forecast, 'expectedExcess'>,
  rows: number,
): number {
  return Math.ceil(rows * Math.sqrt(expectedExcess / share));
}

/** Where a private study is to be resolved. */
export interface Setting {
  readonly rows: number;
  readonly columns: number;
  /** Sites that contribute; each adds its own noise where the placement is local. */
  readonly sites?: number;
}

/**
 * The forecast of one round under these terms, whatever rounds are planned after it: neighbours, rows per person,
 * releases and placement come in through the noise.
 */
export function forecastFor(terms: PrivacyTerms, { rows, columns, sites = 1 }: Setting): Forecast {
  const { refinement: _, ...first } = terms;
  const { sigma, bound } = mechanismOf({ ...first, rounds: 0 }, columns);
  const noises = terms.placement === 'local' ? sites : 1;
  // The μ at which one row, added or removed, would have had the same noise.
  return sigma.gram === 0
    ? forecastOf({ rows, columns, sites: noises, mu: bound / 2 ** 16 / sigma.moment, gramShare: 0 })
    : forecastOf({
        rows,
        columns,
        sites: noises,
        mu: 1 / (sigma.gram * Math.sqrt(plainGramShare)),
      });
}
