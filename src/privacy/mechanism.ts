import { DataError } from '../data-error.ts';
import type { PrivacyTerms } from '../study/study.ts';
import { muOf } from './calibration.ts';

/** One number for each part of a private statistic: G, h, Σb² and the number of rows. */
export interface MechanismShares {
  readonly gram: number;
  readonly moment: number;
  readonly square: number;
  readonly count: number;
}

/** The noise of one release and its privacy cost. */
export interface Mechanism {
  /** μ of the whole promise, over all releases and rounds, for one row or person. */
  readonly mu: number;
  /** μ of this release, for one row or person. */
  readonly spent: number;
  /** Predictors, the intercept among them if there is one. */
  readonly columns: number;
  /** Clipping bound of scaled responses, or residuals, in steps of 2⁻¹⁶. */
  readonly bound: number;
  /** The share of each part in the squared μ of a release with all its rounds. */
  readonly shares: MechanismShares;
  /** Standard deviations, in units of scaled rows; 0 if a part is exact. An off-diagonal entry of G has σ/√2. */
  readonly sigma: MechanismShares;
}

/** Clipping bound of the response in standard deviations, over √columns. */
export const responseCut = 2.5;

const oneShot: MechanismShares = { gram: 0.4, moment: 0.57, square: 0.02, count: 0.01 };
const hybrid: MechanismShares = { gram: 0.15, moment: 0.83, square: 0.01, count: 0.01 };
const nothing: MechanismShares = { gram: 0, moment: 0, square: 0, count: 0 };
const steps = 2 ** 16;

/** The noise that keeps the promise with this many predictors; for a refinement, the noise of its gradient. */
export function mechanismOf(terms: PrivacyTerms, columns: number): Mechanism {
  const { epsilon, delta, refinement, rounds = 0, releases = 1 } = terms;
  const draft = muOf(terms);
  const all = Array.from({ length: rounds + 1 }, (_, t) => roundOf(terms, columns, draft, t));
  const slack = releases * discretisationSlack(all);
  if (!(slack < delta)) {
    throw new DataError(
      `privacy.delta is too small for noise in whole steps of 2⁻³²: ${delta}`,
      {},
      `write at least ${(10 * slack).toExponential(0)}`,
    );
  }
  return roundOf(terms, columns, muOf({ epsilon, delta: delta - slack }), refinement?.round ?? 0);
}

/** Round 0 releases all parts; a later round releases a gradient, with a smaller clipping bound each time. */
function roundOf(terms: PrivacyTerms, columns: number, mu: number, round: number): Mechanism {
  const { releases = 1, rowsPerPerson = 1 } = terms;
  const all = sharesOf(terms);
  const shares = round === 0 ? all : { ...nothing, moment: all.moment };
  const release = mu / Math.sqrt(releases);
  const cut = responseCut / Math.sqrt(columns);
  const bound = Math.floor(cut * Math.max(2 ** -round, 1 / 8) * steps);
  const noise = round === 0 ? noiseOf(terms) : gradientNoise(terms);
  return {
    mu,
    spent: release * Math.sqrt(shares.gram + shares.moment + shares.square + shares.count),
    columns,
    bound,
    shares,
    sigma: noise(release / rowsPerPerson, shares, bound / steps),
  };
}

/** Shares of one round. They add up to 1 over all rounds; each refinement takes the share of the moment again. */
function sharesOf({ protects, neighbours, rounds = 0 }: PrivacyTerms): MechanismShares {
  const base = rounds === 0 ? oneShot : hybrid;
  const gram = protects === 'labels' ? 0 : base.gram;
  const count = protects === 'labels' || neighbours === 'replace-one' ? 0 : base.count;
  const whole = gram + base.moment + base.square + count;
  return {
    gram: gram / whole,
    moment: base.moment / whole / (rounds + 1),
    square: base.square / whole,
    count: count / whole,
  };
}

/** Standard deviations from a row's μ, the shares of its square, and the bound B of |b|, with ‖a‖ ≤ 1. */
type Noise = (mu: number, shares: MechanismShares, bound: number) => MechanismShares;

function noiseOf({ protects, neighbours }: PrivacyTerms): Noise {
  if (protects === 'labels') return labelNoise;
  return neighbours === 'replace-one' ? replaceOneNoise : addRemoveNoise;
}

/** One more row changes G by ‖aaᵀ‖ = ‖a‖² ≤ 1, h by at most B, Σb² by B² and the number of rows by 1. */
export const addRemoveNoise: Noise = (mu, shares, bound) => ({
  gram: 1 / (mu * Math.sqrt(shares.gram)),
  moment: bound / (mu * Math.sqrt(shares.moment)),
  square: bound ** 2 / (mu * Math.sqrt(shares.square)),
  count: 1 / (mu * Math.sqrt(shares.count)),
});

/** G and h together, h weighted by its share; Σb² alone: both b² lie in 0 … B². The number of rows is exact. */
export const replaceOneNoise: Noise = (mu, { gram, moment, square }, bound) => {
  const weight = Math.sqrt(moment / gram);
  const sigma = replaceOneSensitivity(weight) / (mu * Math.sqrt(gram + moment));
  return {
    gram: sigma,
    moment: (sigma * bound) / weight,
    square: bound ** 2 / (mu * Math.sqrt(square)),
    count: 0,
  };
};

/** Another response changes h by ‖a(b − b′)‖ ≤ 2B and Σb² by at most B², and nothing else. */
const labelNoise: Noise = (mu, { moment, square }, bound) => ({
  gram: 0,
  moment: (2 * bound) / (mu * Math.sqrt(moment)),
  square: bound ** 2 / (mu * Math.sqrt(square)),
  count: 0,
});

/** One more row changes Σ a·r by at most R for |r| ≤ R; another row in its place by 2R. */
function gradientNoise({ neighbours, protects }: PrivacyTerms): Noise {
  const moves = neighbours === 'replace-one' || protects === 'labels' ? 2 : 1;
  return (mu, { moment }, bound) => ({
    ...nothing,
    moment: (moves * bound) / (mu * Math.sqrt(moment)),
  });
}

/**
 * The largest change of (G, c·h) when a row (a, b) with ‖a‖ ≤ 1, |b| ≤ 1 replaces another. With t = a·a′ (t ≥ 0, else
 * take (−a′, −b′), which gives the same G and h) its square is
 * ‖a‖⁴ + ‖a′‖⁴ − 2t² + c²(b²‖a‖² + b′²‖a′‖² − 2tbb′), convex in b and in b′, so largest at b = 1 = −b′; then it grows
 * with ‖a‖ and ‖a′‖, which also bound t, so both are 1; and 2 − 2t² + c²(2 + 2t) is largest over t ≤ 1 at
 * t = min(c²/2, 1).
 */
export function replaceOneSensitivity(c: number): number {
  return c <= Math.SQRT2 ? Math.sqrt(2 + 2 * c ** 2 + c ** 4 / 2) : 2 * c;
}

/** Noise is in whole steps of 2⁻³². */
const unit = 2 ** 32;

/**
 * How much more δ discrete Gaussians cost than the normals they replace, over all releases of a promise: at most
 * Σ (1 + μ)²/4s² over entries, s their standard deviation in integers.
 *
 * δ is Σ max(0, f(k) − e^ε f(k + Δ)) over whole k instead of the integral, f the density (its sum over whole numbers is
 * 1 but for e^(−2π²s²)). One entry at a time this is the midpoint rule: at the kink of max(0, ·) it is below the
 * integral, elsewhere its error is at most ⅛∫|second derivative| (Peano). As e^ε f(k + Δ) < f(k) wherever it counts, that
 * is at most E(|z² − 1| + |(z + μ)² − 1|)/8s² ≤ (1 + μ)²/4s²: without the factor e^ε of a bound by total variation.
 */
export function discretisationSlack(mechanisms: Iterable<Mechanism>): number {
  let slack = 0;
  for (const { mu, columns, sigma } of mechanisms) {
    const pairs = (columns * (columns - 1)) / 2;
    const entries: readonly (readonly [count: number, sigma: number])[] = [
      [columns, sigma.gram],
      [pairs, sigma.gram / Math.SQRT2],
      [columns, sigma.moment],
      [1, sigma.square],
      [1, sigma.count],
    ];
    for (const [count, deviation] of entries) {
      if (deviation > 0) slack += (count * (1 + mu) ** 2) / (2 * deviation * unit) ** 2;
    }
  }
  return slack;
}
