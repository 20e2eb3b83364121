import type { Failure } from '../failure.ts';
import type { PrivateFit } from '../model/private-fit.ts';
import { mechanismOf } from '../privacy/mechanism.ts';
import {
  adasspFilter,
  applied,
  cleanedFilter,
  type NoisyMoments,
  ridgeFilter,
  type SpectralFilter,
} from '../solve/denoise.ts';
import { keptShares } from '../solve/noise-aware-errors.ts';
import type { LinearLayout } from '../statistic/linear-layout.ts';
import type { LinearStatistic } from '../statistic/statistic.ts';
import type { PrivacyTerms, Refinement } from '../study/study.ts';
import {
  noisyGradient,
  noisyProducts,
  predictorRange,
  totalFrom,
  totalText,
} from './noisy-total.ts';
import {
  CLEAR,
  type FirstRound,
  manyClipped,
  noisyCovariance,
  unexplained,
} from './private-doubt.ts';
import { inUserUnits, userCovariance } from './public-units.ts';

/** Further options of a private regression. */
export interface PrivateOptions {
  /** Number of noise terms in the total: one, one per contribution where each site adds its own, two where both aggregators do. */
  readonly noises?: number;
  /** σ of the ridge, in units of scaled rows; 0 unless given. */
  readonly ridge?: number;
}

const solvers: Readonly<
  Record<
    PrivateFit['solver'],
    (noisy: NoisyMoments, options: { readonly ridge: number }) => SpectralFilter
  >
> = { cleaner: cleanedFilter, ridge: ridgeFilter, adassp: adasspFilter };

/**
 * Regression from a noisy total: w = Φh̃, with a filter Φ calibrated to the noise; in a further round, one step w +
 * Φq̃ from the previous coefficients, with the Gram matrix of the first round. `first` is the layout of the first
 * round.
 */
export function resolvePrivate(
  total: LinearStatistic,
  terms: PrivacyTerms,
  first: LinearLayout,
  { noises = 1, ridge = 0 }: PrivateOptions = {},
): PrivateFit | Failure {
  const { refinement, ...beginning } = terms;
  const { solver = 'cleaner' } = terms;
  const begun = refinement === undefined ? total : totalFrom(first, refinement.total);
  if (begun === undefined) return otherStudy;
  const { first: offset, columns } = predictorRange(first);
  const opening = sizesOf(beginning, columns, refinement?.noises ?? noises);
  const now = refinement === undefined ? opening : sizesOf(terms, columns, noises);
  const sigma = { ...opening.sigma, moment: now.sigma.moment };
  const products = noisyProducts(begun);
  if (sigma.count === 0 && products.rows === 0) return empty;
  const from = refinement && Float64Array.from(refinement.at.slice(offset));
  const noisy: NoisyMoments = {
    gram: products.gram,
    moment: from === undefined ? products.moment : noisyGradient(total),
    rows: Math.max(products.rows, 1),
    sigmaGram: sigma.gram,
    sigmaMoment: sigma.moment,
  };
  const filter = solvers[solver](noisy, { ridge });
  const step = applied(filter, noisy.moment);
  const coefficients = step.map((part, k) => part + (from?.[k] ?? 0));
  const firstRound: FirstRound = { products, ...opening };
  const clipping = manyClipped(firstRound);
  const solved = { filter, noisy, coefficients, ...(first.intercept ? { constant: 0 } : {}) };
  const covariance = from === undefined ? noisyCovariance(firstRound, solved) : untracked;
  return {
    response: first.columns[first.columns.length - 1],
    ...inUserUnits(coefficients, first),
    scaled: Float64Array.from([...(first.intercept ? [] : [0]), ...coefficients]),
    rows: products.rows,
    columns,
    solver,
    round: refinement?.round ?? 0,
    noises,
    sigma,
    kept: keptShares(filter),
    ...(clipping.clipped === undefined ? residualOf(firstRound, coefficients, first) : clipping),
    errors:
      typeof covariance === 'string'
        ? { none: covariance }
        : {
            kind: 'noise-aware',
            covariance: userCovariance(covariance, first),
            freedom: Number.POSITIVE_INFINITY,
          },
    ...nextOf(terms, coefficients, first, begun, refinement?.noises ?? noises),
  };
}

const untracked =
  'after a gradient step it is not known what is left of the noise of earlier rounds';

const otherStudy: Failure = {
  problem: 'the total of the first round does not belong to this study',
  remedy: 'make the study anew from the model of the round before',
  option: { name: 'refine' },
};

const empty: Failure = {
  problem: 'no rows are left',
  remedy: 'every row had a missing cell in a column the formula uses',
};

/** SDs of all the noise in a total, and the bound at which its responses were clipped. */
function sizesOf(
  terms: PrivacyTerms,
  columns: number,
  noises: number,
): { readonly sigma: PrivateFit['sigma']; readonly bound: number } {
  const { sigma, bound } = mechanismOf(terms, columns);
  const more = Math.sqrt(noises);
  const { gram, moment, square, count } = sigma;
  return {
    sigma: {
      gram: gram * more,
      moment: moment * more,
      square: square * more,
      count: count * more,
    },
    bound: bound * 2 ** -16,
  };
}

/**
 * Residual SD in the user's units: scaled rows have weight 1/‖a‖², and the Gram entry of the constant is the sum of
 * weights.
 */
function residualOf(
  firstRound: FirstRound,
  coefficients: Float64Array,
  { intercept, references }: LinearLayout,
): { readonly residual?: number } {
  const { sum, doubt } = unexplained(firstRound, coefficients);
  const { gram, rows } = firstRound.products;
  const freedom = rows - coefficients.length;
  const clear = sum > CLEAR * doubt && gram[0]! > CLEAR * firstRound.sigma.gram && freedom > 0;
  if (!intercept || !clear) return {};
  const variance = (sum / gram[0]!) * (rows / freedom);
  return { residual: Math.sqrt(variance) * references[references.length - 1].scale };
}

/** Where the next round starts, if the terms plan one. */
function nextOf(
  { rounds = 0, refinement }: PrivacyTerms,
  coefficients: Float64Array,
  { intercept }: LinearLayout,
  begun: LinearStatistic,
  noises: number,
): { readonly next?: Refinement } {
  const round = (refinement?.round ?? 0) + 1;
  if (round > rounds) return {};
  const at = [...(intercept ? [] : [0]), ...coefficients];
  const total = refinement?.total ?? totalText(begun);
  return { next: { round, at, total, ...(noises === 1 ? {} : { noises }) } };
}
