import {
  type Conclusion,
  type ExperimentResult,
  paperStatement,
  type ResultTable,
  resultSpread,
} from '../paper-result.ts';
import { ratioOfMeans, reachOf, type SimulatedEstimate } from './estimates.ts';
import { type LawName, lawNames, laws } from './laws.ts';
import { fescMatters } from './matters.ts';
import { reachedLimit, reachText, simulatedEstimateText } from './reach-text.ts';
import { type Runs, ratios } from './runs.ts';
import { gammas } from './streams.ts';
import { type FescPlan, meanSize } from './trial.ts';

export interface LawRuns {
  readonly law: LawName;
  readonly runs: Runs;
}

/** Laws that the paper has at several variances, lowest first. */
const families: readonly (readonly LawName[])[] = [
  ['lognormal-low', 'lognormal-high'],
  ['gaussian-low', 'gaussian-medium', 'gaussian-high'],
  ['uniform-low', 'uniform-high'],
  ['laplace-low', 'laplace-medium', 'laplace-high'],
];

const last = gammas.length - 1;

export function lawsResult(
  plan: FescPlan,
  finished: readonly LawRuns[],
  seconds: number,
): ExperimentResult {
  const count = finished[0]?.runs.byGamma[0]?.drawn.length ?? 0;
  const ended = finished.length === lawNames.length;
  return {
    id: 'laws',
    title: 'All 13 laws of sizes',
    about: `${plan.nodes} sites with ${plan.dimension} features, ${count} runs a law, the rest as in the error by γ. The law’s own draws have mean m^γ; a site has the nearest whole number of rows, at least 1, which raises the mean of laws that reach below 1.`,
    seconds,
    tables: [meansByLaw(plan, finished), reachedByLaw(finished)],
    figures: [],
    differences: ended ? [raised(finished), whereReached(finished)] : [],
    conclusions: ended ? [means(plan, finished), ...(count < 2 ? [] : [byVariance(finished)])] : [],
  };
}

function meansByLaw(plan: FescPlan, finished: readonly LawRuns[]): ResultTable {
  return {
    id: 'laws',
    title: 'Means of the laws over m^γ, and what whole sizes of at least 1 do to them',
    of: 'law',
    columns: [
      { label: 'draws / m^γ, all γ', form: 'ratio' },
      { label: 'rows / draws at γ = 0.2', form: 'ratio' },
      { label: 'rows / draws at γ = 1.2', form: 'ratio' },
    ],
    rows: finished.map(({ law, runs }) => ({
      label: laws[law].title,
      cells: [
        { measured: resultSpread(drawnOverMean(plan, runs)) },
        { measured: { mean: rowsOverDraws(runs, 0), count: runs.byGamma[0]!.size.length } },
        { measured: { mean: rowsOverDraws(runs, last), count: runs.byGamma[last]!.size.length } },
      ],
    })),
  };
}

function reachedByLaw(finished: readonly LawRuns[]): ResultTable {
  return {
    id: 'reached',
    title: `Smallest γ from which the mean error stays within a factor of ${reachedLimit} or 2 of the centralised one; in brackets, by its 95 % limits`,
    of: 'law',
    columns: [reachedLimit, 2].flatMap((limit) => [
      { label: `plain average, ${limit}` },
      { label: `FESC, ${limit}` },
    ]),
    rows: finished.map(({ law, runs }) => {
      const [plain, fesc] = [ratios(runs, 'average'), ratios(runs, 'fesc')];
      return {
        label: laws[law].title,
        cells: [reachedLimit, 2].flatMap((limit) => [
          { text: reachText(reachOf(plain, limit)) },
          { text: reachText(reachOf(fesc, limit)) },
        ]),
      };
    }),
  };
}

/** Mean draw over m^γ, one value for each run and γ. */
function drawnOverMean({ nodes }: FescPlan, { byGamma }: Runs): number[] {
  return byGamma.flatMap(({ drawn }, g) => drawn.map((mean) => mean / meanSize(nodes, g)));
}

/** The effect of rounding, and of the floor at 1, on the mean; on the same draws, so with little random error. */
function rowsOverDraws({ byGamma }: Runs, gamma: number): number {
  return ratioOfMeans(byGamma[gamma]!.size, byGamma[gamma]!.drawn).value;
}

function means(plan: FescPlan, finished: readonly LawRuns[]): Conclusion {
  const deviations = finished.map(({ law, runs }) => {
    const { mean, sd, count } = resultSpread(drawnOverMean(plan, runs));
    return { law, mean, z: (mean - 1) / (sd! / Math.sqrt(count)) };
  });
  const worst = deviations.reduce((a, b) => (Math.abs(b.z) > Math.abs(a.z) ? b : a));
  return paperStatement({
    matter: fescMatters.means,
    where: '§4.1, equation (12)',
    claim: 'Several distributions are available, all of mean E[η] = m^γ.',
    readings: [
      {
        as: 'draws before rounding, the scale of one law corrected',
        holds: Math.abs(worst.z) <= 4,
        because: `farthest is ${laws[worst.law].title}: its draws average ${worst.mean.toFixed(4)} m^γ, ${Math.abs(worst.z).toFixed(1)} standard errors away`,
      },
    ],
    because:
      'The scale of the log-normal law of high variance is m^γe⁻² here; it is printed as m^γe².',
  });
}

function byVariance(finished: readonly LawRuns[]): Conclusion {
  const gains = families.map((family) => family.map((law) => ({ law, gain: gain(finished, law) })));
  const least = ({ value, low }: SimulatedEstimate) => low ?? value;
  const most = ({ value, high }: SimulatedEstimate) => high ?? value;
  return paperStatement({
    matter: fescMatters.variance,
    where: '§1',
    claim: 'This effect is more visible when the sample size distribution has higher variance.',
    readings: [
      {
        as: 'in each family of laws, at the highest variance more than at the lowest',
        holds: gains.every((family) => least(family.at(-1)!.gain) > most(family[0]!.gain)),
        because: `error of the plain average over that of FESC at γ = ${gammas[0]}: ${gains
          .flat()
          .map(({ law, gain }) => `${laws[law].title} ${simulatedEstimateText(gain)}`)
          .join(', ')}`,
      },
    ],
    because: 'A ratio above 1 is a gain of FESC.',
  });
}

function gain(finished: readonly LawRuns[], wanted: LawName): SimulatedEstimate {
  const { average, fesc } = finished.find(({ law }) => law === wanted)!.runs.byGamma[0]!;
  return ratioOfMeans(average, fesc);
}

function raised(finished: readonly LawRuns[]): string {
  const shares = finished
    .map(({ law, runs }) => ({
      law,
      small: rowsOverDraws(runs, 0),
      large: rowsOverDraws(runs, last),
    }))
    .filter(({ small, large }) => Math.max(small, large) > 1.02)
    .map(
      ({ law, small, large }) =>
        `${laws[law].title} ${percent(small)} at γ = 0.2 and ${percent(large)} at γ = 1.2`,
    );
  if (shares.length === 0) return 'Whole sizes of at least 1 keep the mean of every law to 2 %.';
  return `Whole sizes of at least 1 have a larger mean than the law, by more than 2 % with: ${shares.join('; ')}.`;
}

function percent(ratio: number): string {
  return `${Math.abs(100 * (ratio - 1)).toFixed(0)} %`;
}

function whereReached(finished: readonly LawRuns[]): string {
  const count = (estimator: 'average' | 'fesc', below: number) =>
    finished.filter(
      ({ runs }) => (reachOf(ratios(runs, estimator), reachedLimit).gamma ?? 9) < below,
    ).length;
  return `Within ${Math.round((reachedLimit - 1) * 100)} % of the centralised error up to γ = 1.2: the plain average with ${count('average', 9)} of the laws, FESC with ${count('fesc', 9)}; below γ = 1 with ${count('average', 1)} and ${count('fesc', 1)}.`;
}
