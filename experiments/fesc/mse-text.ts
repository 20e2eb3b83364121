import {
  type Conclusion,
  type PaperStatement,
  paperStatement,
  type StatementReading,
} from '../paper-result.ts';
import { meanEstimate, ratioOfMeans, reachOf, type SimulatedEstimate } from './estimates.ts';
import { fescMatters } from './matters.ts';
import { reachedLimit, reachText, simulatedEstimateText } from './reach-text.ts';
import { type Runs, ratios } from './runs.ts';
import { gammas } from './streams.ts';
import type { FescPlan } from './trial.ts';

/** The γ at which a site has as many rows as there are sites. */
const one = gammas.indexOf(1);

/** How near counts as equal; the paper does not say. */
const factors = [
  { limit: reachedLimit, as: 'mean error within 5 % of the centralised one' },
  { limit: 1.25, as: 'mean error within 25 %' },
  { limit: 2, as: 'mean error within a factor of 2' },
] as const;

/** The paper's statements, each with its measurement. `pooledGap` is the distance of the exact fusion from ridge on pooled rows. */
export function conclusionsOf(runs: Runs, pooledGap: number): Conclusion[] {
  const exact: Conclusion = {
    of: 'ours',
    claim: 'The exact fusion is the centralised estimator at every γ, whatever the sizes.',
    holds: pooledGap < 1e-10,
    because: `Ridge on the sum of the sites’ Gram matrices and ridge on the pooled rows differ by at most ${pooledGap.toExponential(0)} of ‖θ‖ (γ up to 0.6, first run).`,
  };
  // The result of a single run may be chance.
  if (countOf(runs) < 2) return [exact];
  return [thresholdStatement(runs), smallestStatement(runs), fasterStatement(runs), exact];
}

function thresholdStatement(runs: Runs): PaperStatement {
  const plain = ratios(runs, 'average');
  const [before, there, after] = [plain[one - 1]!, plain[one]!, plain.at(-1)!];
  return paperStatement({
    matter: fescMatters.threshold,
    where: '§4.2',
    claim:
      'for γ < 1 (E[η] = m), the federated algorithm cannot attain the performance of centralized learning.',
    readings: factors
      .filter(({ limit }) => limit < 2)
      .map(({ limit, as }) => ({
        as,
        holds: plain.slice(0, one).every(({ value, low }) => (low ?? value) > limit),
        because: `at γ = ${gammas[one - 1]}, the last below 1, it is ${simulatedEstimateText(before)} times the centralised one; smallest γ, interpolated: ${reachText(reachOf(plain, limit))}`,
      })),
    because: `Judged at the paper’s γ, in steps of 0.1. At γ = 1 it is ${simulatedEstimateText(there)} times, at γ = ${gammas.at(-1)} ${simulatedEstimateText(after)}.`,
  });
}

function smallestStatement(runs: Runs): PaperStatement {
  const [plain, fesc] = [ratios(runs, 'average'), ratios(runs, 'fesc')];
  return paperStatement({
    matter: fescMatters.sooner,
    where: '§4.2, Figure 1',
    claim:
      'The FESC algorithm manages to reduce the smallest γ necessary for equaling the performance of centralized learning.',
    readings: [
      ...factors.map(({ limit, as }): StatementReading => {
        const [plainReach, fescReach] = [reachOf(plain, limit), reachOf(fesc, limit)];
        return {
          as,
          holds: (fescReach.to ?? 9) < (plainReach.from ?? 9),
          because: `smallest γ: plain average ${reachText(plainReach)}, FESC ${reachText(fescReach)}`,
        };
      }),
      singleRuns(runs),
    ],
    because:
      'How near is equal, the paper does not say. Where nodes have few rows, leaving out the smallest costs less than their bias; near γ = 1 their rows are missed.',
  });
}

/** The first γ within 5 % in each run by itself, as in the paper's figure, which has one. */
function singleRuns({ byGamma }: Runs): StatementReading {
  const count = byGamma[0]!.fesc.length;
  const first = (estimator: 'average' | 'fesc', run: number) => {
    const g = byGamma.findIndex((at) => at[estimator][run]! <= reachedLimit * at.centralised[run]!);
    return g < 0 ? gammas.length : g;
  };
  const signs = Array.from({ length: count }, (_, run) =>
    Math.sign(first('fesc', run) - first('average', run)),
  );
  const [lower, higher] = [-1, 1].map((sign) => signs.filter((s) => s === sign).length);
  return {
    as: 'one run a γ, as in Figure 1: the first γ within 5 %',
    holds: lower! > higher!,
    because: `FESC’s is lower in ${lower} of ${count} runs, higher in ${higher}, the same in the others`,
  };
}

function fasterStatement(runs: Runs): PaperStatement {
  const [plain, fesc] = [ratios(runs, 'average'), ratios(runs, 'fesc')];
  const against = fescOverPlain(runs);
  const last = gammas.length - 1;
  const both = (g: number) =>
    `at γ = ${gammas[g]} the plain average is ${simulatedEstimateText(plain[g]!)} times the centralised error, FESC ${simulatedEstimateText(fesc[g]!)}`;
  return paperStatement({
    matter: fescMatters.sooner,
    where: '§1',
    claim:
      'the FESC weighting scheme converges faster to the performance of the centralized estimator than the plain federated estimator.',
    readings: [
      { as: 'nearer to it at the smallest γ', holds: isBelowOne(against[0]!), because: both(0) },
      { as: 'nearer to it at every γ', holds: against.every(isBelowOne), because: both(last) },
    ],
    because: 'It is nearer where nodes have few rows, and farther where they have many.',
  });
}

/** Differences between the printed and the measured values. */
export function differencesOf(plan: FescPlan, runs: Runs): string[] {
  const count = countOf(runs);
  if (count < 2) return ['Here is one run, as in the paper: from two on there are bands.'];
  const against = fescOverPlain(runs);
  const worse = gammas.filter((_, g) => isAboveOne(against[g]!));
  const better = gammas.filter((_, g) => isBelowOne(against[g]!));
  const kept = meanEstimate(runs.byGamma[one]!.kept).value;
  const differences = [
    `The paper shows one run and prints no numbers; here are ${count} runs with bands.`,
  ];
  if (worse.length > 0) {
    // The reason applies if sites have enough rows and some are left out.
    const lost = kept < 0.995 * plan.nodes && worse.every((g) => rowsAt(runs, g) > plan.dimension);
    const why = lost
      ? `: of ${plan.nodes} sites it keeps ${kept.toFixed(1)} at γ = 1, and ridge on more rows than features has almost no bias to correct, so the rows left out are only lost`
      : '';
    differences.push(
      `FESC is better than the plain average ${listed(better)} and worse ${listed(worse)}${why}.`,
    );
  }
  return differences;
}

function countOf({ byGamma }: Runs): number {
  return byGamma[0]!.fesc.length;
}

/** Rows of a site on average. */
function rowsAt({ byGamma }: Runs, gamma: number): number {
  return meanEstimate(byGamma[gammas.indexOf(gamma)]!.size).value;
}

function fescOverPlain(runs: Runs): SimulatedEstimate[] {
  return runs.byGamma.map(({ fesc, average }) => ratioOfMeans(fesc, average));
}

function isBelowOne({ value, high }: SimulatedEstimate): boolean {
  return (high ?? value) < 1;
}

function isAboveOne({ value, low }: SimulatedEstimate): boolean {
  return (low ?? value) > 1;
}

function listed(values: readonly number[]): string {
  return values.length === 0 ? 'at no γ' : `at γ = ${values.join(', ')}`;
}
