import { type LawName, laws } from '../../../experiments/fesc/laws.ts';

/** A law of the sites' sizes: one sentence and its density. */
interface SizeLaw {
  readonly sentence: string;
  /** Density at a size, in multiples of the mean; up to a factor. */
  readonly density: (size: number) => number;
}

const normal = (sd: number) => (size: number) => Math.exp(-((size - 1) ** 2) / (2 * sd ** 2));
const laplace = (scale: number) => (size: number) => Math.exp(-Math.abs(size - 1) / scale);
const logNormal = (shape: number) => (size: number) =>
  size <= 0 ? 0 : Math.exp(-((Math.log(size) + shape ** 2 / 2) ** 2) / (2 * shape ** 2)) / size;
const uniform = (from: number, to: number) => (size: number) =>
  size >= from && size <= to ? 1 : 0;
/** Γ(5/3): the mean of a Weibull law of shape 1.5 and scale 1. */
const WEIBULL_MEAN = 0.9027452929509336;

/** The thirteen laws of the demo. */
export const lawText: Readonly<Record<LawName, SizeLaw>> = {
  'lognormal-low': {
    sentence: 'Most sites are small, some are a few times larger.',
    density: logNormal(1),
  },
  'lognormal-high': {
    sentence: 'Most sites have almost nothing, a few have almost everything.',
    density: logNormal(2),
  },
  poisson: {
    sentence: 'Sizes vary like counts: large sites vary less, relative to their size.',
    density: normal(0.2),
  },
  'gaussian-low': {
    sentence: 'All sites are about the same size.',
    density: normal(0.1),
  },
  'gaussian-medium': {
    sentence: 'Sites are around one size, plus or minus half of it.',
    density: normal(0.5),
  },
  'gaussian-high': {
    sentence: 'Sites vary widely around one size; a site has at least one row.',
    density: normal(1),
  },
  'uniform-low': {
    sentence: 'Every size from half to one and a half times the mean is equally likely.',
    density: uniform(0.5, 1.5),
  },
  'uniform-high': {
    sentence: 'Every size up to twice the mean is equally likely.',
    density: uniform(0, 2),
  },
  'laplace-low': {
    sentence: 'Sites are close to one size, with a few exceptions.',
    density: laplace(0.1),
  },
  'laplace-medium': {
    sentence: 'Many sites are close to one size, some are far from it.',
    density: laplace(0.5),
  },
  'laplace-high': {
    sentence: 'Sites are often far from the mean; a site has at least one row.',
    density: laplace(1),
  },
  pareto: {
    sentence: 'No site is below 0.6 of the mean, and a few are very large.',
    density: (size) => (size < 0.6 ? 0 : size ** -3.5),
  },
  weibull: {
    sentence: 'Small sites are common, very large ones are rare.',
    density: (size) => {
      const scaled = size * WEIBULL_MEAN;
      return Math.sqrt(Math.max(0, scaled)) * Math.exp(-(scaled ** 1.5));
    },
  },
};

/** Its name with a capital letter. */
export function lawTitle(name: LawName): string {
  const { title } = laws[name];
  return title.charAt(0).toUpperCase() + title.slice(1);
}
