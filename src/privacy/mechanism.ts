import { DataError } from '../data-error.ts';
import type { PrivacyTerms } from '../study/study.ts';
import { muOf } from './calibration.ts';
import { discretisationSlack } from './discretisation.ts';

/** A number for each part of a private statistic: G, h, Σb² and the number of rows. */
export interface Parts {
  readonly gram: number;
  readonly moment: number;
  readonly square: number;
  readonly count: number;
}

/** The noise of one release and its price. */
export interface Mechanism {
  /** Of the whole promise, all releases and rounds together, for the unit that is protected. */
  readonly mu: number;
  /** μ of this release for the unit. */
  readonly spent: number;
  /** Predictors, the intercept among them if there is one. */
  readonly columns: number;
  /** Where scaled responses, or residuals, are clipped: in steps of 2⁻¹⁶. */
  readonly bound: number;
  /** Of the squared μ of a release with all its rounds, what each part takes here. */
  readonly shares: Parts;
  /** Standard deviations, in units of scaled rows; 0 where a part is exact. An entry off G's diagonal has σ/√2. */
  readonly sigma: Parts;
}

/** Clipping of the response in standard deviations of it, over √columns. */
export const responseCut = 2.5;

const oneShot: Parts = { gram: 0.4, moment: 0.57, square: 0.02, count: 0.01 };
const hybrid: Parts = { gram: 0.15, moment: 0.83, square: 0.01, count: 0.01 };
const nothing: Parts = { gram: 0, moment: 0, square: 0, count: 0 };
const steps = 2 ** 16;

/** The noise that keeps the promise over this many predictors; of a refinement, that of its gradient alone. */
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

/** Round 0 releases all parts; a later one, a gradient whose residuals are clipped closer and closer. */
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

/** Shares of one round: they add up to 1 over the first round and the refinements, whose moment each has again. */
function sharesOf({ protects, neighbours, rounds = 0 }: PrivacyTerms): Parts {
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

/** Standard deviations for a row's μ, the shares of its square, and the bound B of |b| where ‖a‖ ≤ 1. */
type Noise = (mu: number, shares: Parts, bound: number) => Parts;

function noiseOf({ protects, neighbours }: PrivacyTerms): Noise {
  if (protects === 'labels') return labelNoise;
  return neighbours === 'replace-one' ? replaceOneNoise : addRemoveNoise;
}

/** A row more moves G by ‖aaᵀ‖ = ‖a‖² ≤ 1, h by at most B, Σb² by B² and the number of rows by 1. */
export const addRemoveNoise: Noise = (mu, shares, bound) => ({
  gram: 1 / (mu * Math.sqrt(shares.gram)),
  moment: bound / (mu * Math.sqrt(shares.moment)),
  square: bound ** 2 / (mu * Math.sqrt(shares.square)),
  count: 1 / (mu * Math.sqrt(shares.count)),
});

/** G and h in one, h at its share's weight; Σb² for itself: both b² are within 0 … B². The number of rows is exact. */
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

/** Another response moves h by ‖a(b − b′)‖ ≤ 2B and Σb² by at most B²; the rest does not know of it. */
const labelNoise: Noise = (mu, { moment, square }, bound) => ({
  gram: 0,
  moment: (2 * bound) / (mu * Math.sqrt(moment)),
  square: bound ** 2 / (mu * Math.sqrt(square)),
  count: 0,
});

/** A row more moves Σ a·r by at most R where |r| ≤ R, another row in its place by 2R. */
function gradientNoise({ neighbours, protects }: PrivacyTerms): Noise {
  const moves = neighbours === 'replace-one' || protects === 'labels' ? 2 : 1;
  return (mu, { moment }, bound) => ({
    ...nothing,
    moment: (moves * bound) / (mu * Math.sqrt(moment)),
  });
}

/**
 * How far (G, c·h) moves at most when a row (a, b) with ‖a‖ ≤ 1, |b| ≤ 1 takes another's place. With t = a·a′ (t ≥ 0,
 * else (−a′, −b′) is the same row to G and h) the square is
 * ‖a‖⁴ + ‖a′‖⁴ − 2t² + c²(b²‖a‖² + b′²‖a′‖² − 2tbb′), convex in b and in b′, so largest at b = 1 = −b′; then it grows
 * with ‖a‖ and ‖a′‖, which also give t its room, so both are 1; and 2 − 2t² + c²(2 + 2t) is largest over t ≤ 1 at
 * t = min(c²/2, 1).
 */
export function replaceOneSensitivity(c: number): number {
  return c <= Math.SQRT2 ? Math.sqrt(2 + 2 * c ** 2 + c ** 4 / 2) : 2 * c;
}
