import { exponential } from '../../src/numeric/exponential.ts';
import { naturalLog } from '../../src/random/natural-log.ts';
import { normals } from '../../src/random/normals.ts';
import type { WordSource } from '../../src/random/words.ts';

export type LawName =
  | 'lognormal-low'
  | 'lognormal-high'
  | 'poisson'
  | 'gaussian-low'
  | 'gaussian-medium'
  | 'gaussian-high'
  | 'uniform-low'
  | 'uniform-high'
  | 'laplace-low'
  | 'laplace-medium'
  | 'laplace-high'
  | 'pareto'
  | 'weibull';

/** A law of the number of rows of a node. */
export interface Law {
  readonly title: string;
  /** A draw of the law, with mean `mean`; it may be below 1 and is not rounded. */
  draw(mean: number, source: LawSource): number;
}

/** The source of draws: one stream of 32-bit words, as standard distributions. */
export interface LawSource {
  /** Uniform on the multiples of 2⁻⁵³ in (0, 1]. */
  uniform(): number;
  /** With mean 1: −ln of a uniform. */
  exponential(): number;
  /** With variance 1, by the polar method. */
  normal(): number;
}

export function lawSource(random: WordSource): LawSource {
  const uniform = () => ((random() >>> 5) * 67108864 + (random() >>> 6) + 1) / 9007199254740992;
  return { uniform, exponential: () => -naturalLog(uniform()), normal: normals(random) };
}

const exponentialOfMinusHalf = 0.6065306597126334;
const exponentialOfMinusTwo = 0.1353352832366127;
/** Γ(5/3), the mean of a Weibull law of shape 1.5 and scale 1. */
const gammaOfFiveThirds = 0.9027452929509336;

/** The 13 laws of IPOL 2023.440, §4.1, each with mean `mean`; printed scales that give another mean are corrected. */
export const laws: Readonly<Record<LawName, Law>> = {
  'lognormal-low': {
    title: 'log-normal (low variance)',
    draw: (mean, source) => mean * exponentialOfMinusHalf * exponential(source.normal()),
  },
  'lognormal-high': {
    title: 'log-normal (high variance)',
    draw: (mean, source) => mean * exponentialOfMinusTwo * exponential(2 * source.normal()),
  },
  poisson: { title: 'Poisson', draw: poisson },
  'gaussian-low': { title: 'Gaussian (low variance)', draw: gaussian(0.1) },
  'gaussian-medium': { title: 'Gaussian (medium variance)', draw: gaussian(0.5) },
  'gaussian-high': { title: 'Gaussian (high variance)', draw: gaussian(1) },
  'uniform-low': {
    title: 'uniform (low variance)',
    draw: (mean, source) => mean * (0.5 + source.uniform()),
  },
  'uniform-high': {
    title: 'uniform (high variance)',
    draw: (mean, source) => 2 * mean * source.uniform(),
  },
  'laplace-low': { title: 'Laplace (low variance)', draw: laplace(0.1) },
  'laplace-medium': { title: 'Laplace (medium variance)', draw: laplace(0.5) },
  'laplace-high': { title: 'Laplace (high variance)', draw: laplace(1) },
  // U^(−1/b) with b = 2.5.
  pareto: {
    title: 'Pareto',
    draw: (mean, source) => 0.6 * mean * exponential(0.4 * source.exponential()),
  },
  // E^(1/c) with c = 1.5.
  weibull: {
    title: 'Weibull',
    draw: (mean, source) =>
      (mean / gammaOfFiveThirds) * exponential(naturalLog(source.exponential()) / 1.5),
  },
};

export const lawNames = Object.keys(laws) as readonly LawName[];

/** Rows of a node: the nearest whole number, at least 1. The floor raises the mean of laws that reach below 1. */
export function wholeSize(draw: number): number {
  return Math.max(1, Math.floor(draw + 0.5));
}

/** Largest part of a mean: e^−part is still far from the smallest double. */
const partOfMean = 500;

// Knuth's product of uniforms, for one part of the mean at a time: exact, and much cheaper than the rows.
function poisson(mean: number, source: LawSource): number {
  let count = 0;
  for (let rest = mean; rest > 0; rest -= partOfMean) {
    const end = exponential(-Math.min(rest, partOfMean));
    for (let product = source.uniform(); product > end; product *= source.uniform()) count++;
  }
  return count;
}

function gaussian(deviation: number): Law['draw'] {
  return (mean, source) => mean * (1 + deviation * source.normal());
}

function laplace(scale: number): Law['draw'] {
  return (mean, source) => mean * (1 + scale * (source.exponential() - source.exponential()));
}
