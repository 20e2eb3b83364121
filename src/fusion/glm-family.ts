import { logGamma } from '../numeric/gamma.ts';

/** A regression with its canonical link: the likelihood of one row, given its linear predictor η. */
export interface Family {
  /** η of a mean. */
  link(mean: number): number;
  /** E(y). */
  mean(eta: number): number;
  /** Var(y), which is also dμ/dη: the row's weight in the Fisher information. */
  variance(eta: number): number;
  /** ln p(y | η) without the part that depends on y alone. */
  logKernel(y: number, eta: number): number;
  /** The part that depends on y alone. */
  logBase(y: number): number;
  /** ln p(y) where the mean is y itself: the most any model can reach. */
  saturated(y: number): number;
  /** The log-likelihood of a row of weight w as R's AIC counts it: w trials of which wy succeeded, or w times its own. */
  counted(y: number, eta: number, weight: number): number;
  /** What Jeffreys' prior adds to the score of a row with hat value h (Firth 1993, §3). */
  priorScore(hat: number, mean: number): number;
  /** Share of the variance that the prior adds to the curvature, with h fixed. */
  priorCurvature(hat: number): number;
  /** Why y cannot be a response, and what to do; undefined where it can. */
  refusal(
    y: number,
    weighted: boolean,
  ): { readonly problem: string; readonly remedy: string } | undefined;
}

const binomial: Family = {
  link: (mean) => Math.log(mean / (1 - mean)),
  mean: (eta) => 1 / (1 + Math.exp(-eta)),
  variance(eta) {
    const odds = Math.exp(-Math.abs(eta));
    return odds / (1 + odds) ** 2;
  },
  logKernel: (y, eta) => y * eta - Math.max(eta, 0) - Math.log1p(Math.exp(-Math.abs(eta))),
  logBase: () => 0,
  saturated: (y) => timesLog(y) + timesLog(1 - y),
  counted(y, eta, weight) {
    const trials = halfToEven(weight);
    const successes = halfToEven(weight * y);
    const ways = logGamma(trials + 1) - logGamma(successes + 1) - logGamma(trials - successes + 1);
    return (
      ways + successes * eta - trials * (Math.max(eta, 0) + Math.log1p(Math.exp(-Math.abs(eta))))
    );
  },
  priorScore: (hat, mean) => hat * (0.5 - mean),
  priorCurvature: (hat) => hat,
  refusal(y, weighted) {
    if (weighted ? y >= 0 && y <= 1 : y === 0 || y === 1) return undefined;
    return weighted
      ? {
          problem: 'the response of a weighted logistic regression must lie between 0 and 1',
          remedy: 'give the share of successes, with the number of trials as weight',
        }
      : {
          problem: 'the response of a logistic regression must be 0 or 1',
          remedy:
            'code it as 0 and 1; or give shares of successes, with the number of trials as weights',
        };
  },
};

/** x ln x. */
function timesLog(x: number): number {
  return x > 0 ? x * Math.log(x) : 0;
}

/** R's round(): a half goes to the even neighbour. */
function halfToEven(x: number): number {
  const nearest = Math.round(x);
  return nearest - x === 0.5 && nearest % 2 !== 0 ? nearest - 1 : nearest;
}

const poisson: Family = {
  link: Math.log,
  mean: Math.exp,
  variance: Math.exp,
  logKernel: (y, eta) => y * eta - Math.exp(eta),
  logBase: (y) => -logGamma(y + 1),
  saturated: (y) => timesLog(y) - y - logGamma(y + 1),
  counted: (y, eta, weight) => weight * (y * eta - Math.exp(eta) - logGamma(y + 1)),
  priorScore: (hat) => hat / 2,
  priorCurvature: () => 0,
  refusal: (y) =>
    y >= 0
      ? undefined
      : {
          problem: 'the response of a Poisson regression must not be negative',
          remedy: 'leave the row out, or choose another family',
        },
};

export const families: Readonly<Record<'binomial' | 'poisson', Family>> = { binomial, poisson };
