import type { Conclusion } from '../paper-result.ts';
import { meanEstimate, ratioOfMeans, reachOf, type SimulatedEstimate } from './estimates.ts';
import { reachedLimit, reachText, simulatedEstimateText } from './reach-text.ts';
import { type Runs, ratios } from './runs.ts';
import { gammas } from './streams.ts';
import type { FescPlan } from './trial.ts';

const percent = Math.round((reachedLimit - 1) * 100);
/** The γ at which a site has as many rows as there are sites. */
const one = gammas.indexOf(1);

/** The paper's claims, each with its measurement. `pooledGap` is the distance of the exact fusion from ridge on pooled rows. */
export function conclusionsOf(runs: Runs, pooledGap: number): Conclusion[] {
  const exact: Conclusion = {
    of: 'ours',
    claim: 'The exact fusion is the centralised estimator at every γ, whatever the sizes.',
    holds: pooledGap < 1e-10,
    because: `Ridge on the sum of the sites’ Gram matrices and ridge on the pooled rows differ by at most ${pooledGap.toExponential(0)} of ‖θ‖ (γ up to 0.6, first run).`,
  };
  // The result of a single run may be chance.
  if (countOf(runs) < 2) return [exact];
  const plain = ratios(runs, 'average');
  const fesc = ratios(runs, 'fesc');
  const [plainReach, fescReach] = [reachOf(plain, reachedLimit), reachOf(fesc, reachedLimit)];
  return [
    {
      of: 'paper',
      where: '§4.2',
      claim: `Below γ = 1 the plain average does not reach the centralised error, that is, stays more than ${percent} % above it.`,
      holds: plain.slice(0, one).every(({ value, low }) => (low ?? value) > reachedLimit),
      because: `At γ = ${gammas[one - 1]} it is ${simulatedEstimateText(plain[one - 1]!)} times the centralised error, at γ = 1 it is ${simulatedEstimateText(plain[one]!)}, at γ = 1.2 it is ${simulatedEstimateText(plain.at(-1)!)}.`,
    },
    {
      of: 'paper',
      where: '§4.2, Figure 1',
      claim: 'FESC lowers the smallest γ at which the centralised error is reached.',
      holds: (fescReach.to ?? 9) < (plainReach.from ?? 9),
      because: `Within ${percent} %: plain average ${reachText(plainReach)}, FESC ${reachText(fescReach)}. Within a factor of 2: plain average ${reachText(reachOf(plain, 2))}, FESC ${reachText(reachOf(fesc, 2))}.`,
    },
    {
      of: 'paper',
      where: '§1',
      claim: 'At small γ FESC is closer to the centralised error than the plain average.',
      holds: isBelowOne(fescOverPlain(runs)[0]!),
      because: `At γ = ${gammas[0]} the plain average is ${simulatedEstimateText(plain[0]!)} times the centralised error, FESC ${simulatedEstimateText(fesc[0]!)}.`,
    },
    exact,
  ];
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
