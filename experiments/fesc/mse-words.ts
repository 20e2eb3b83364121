import type { Conclusion } from '../paper-result.ts';
import { type Estimate, meanOf, ratioOfMeans, reach } from './estimates.ts';
import { estimateText, reachedLimit, reachText } from './reach-words.ts';
import { type Runs, ratios } from './runs.ts';
import { gammas } from './streams.ts';
import type { FescPlan } from './trial.ts';

const percent = Math.round((reachedLimit - 1) * 100);
/** The γ at which a site has as many rows as there are sites. */
const one = gammas.indexOf(1);

/** The paper's claims, each beside what was measured. `pooledGap` is how far the exact fusion is from ridge on pooled rows. */
export function conclusionsOf(runs: Runs, pooledGap: number): Conclusion[] {
  const exact: Conclusion = {
    of: 'ours',
    claim: 'The exact fusion is the centralised estimator at every γ, whatever the sizes.',
    holds: pooledGap < 1e-10,
    because: `Ridge on the sum of the sites’ Gram matrices and ridge on the pooled rows differ by at most ${pooledGap.toExponential(0)} of ‖θ‖ (γ up to 0.6, first run).`,
  };
  // What a single run shows may be chance, and nothing tells.
  if (countOf(runs) < 2) return [exact];
  const plain = ratios(runs, 'average');
  const fesc = ratios(runs, 'fesc');
  const [plainReach, fescReach] = [reach(plain, reachedLimit), reach(fesc, reachedLimit)];
  return [
    {
      of: 'paper',
      where: '§4.2',
      claim: `Below γ = 1 the plain average does not reach the centralised error, that is, stays more than ${percent} % above it.`,
      holds: plain.slice(0, one).every(({ value, low }) => (low ?? value) > reachedLimit),
      because: `At γ = ${gammas[one - 1]} it is ${estimateText(plain[one - 1]!)} times the centralised error, at γ = 1 it is ${estimateText(plain[one]!)}, at γ = 1.2 it is ${estimateText(plain.at(-1)!)}.`,
    },
    {
      of: 'paper',
      where: '§4.2, Figure 1',
      claim: 'FESC lowers the smallest γ at which the centralised error is reached.',
      holds: (fescReach.to ?? 9) < (plainReach.from ?? 9),
      because: `Within ${percent} %: plain average ${reachText(plainReach)}, FESC ${reachText(fescReach)}. Within a factor of 2: plain average ${reachText(reach(plain, 2))}, FESC ${reachText(reach(fesc, 2))}.`,
    },
    {
      of: 'paper',
      where: '§1',
      claim: 'At small γ FESC is closer to the centralised error than the plain average.',
      holds: isBelowOne(fescOverPlain(runs)[0]!),
      because: `At γ = ${gammas[0]} the plain average is ${estimateText(plain[0]!)} times the centralised error, FESC ${estimateText(fesc[0]!)}.`,
    },
    exact,
  ];
}

/** Where print and measurement part. */
export function differencesOf(plan: FescPlan, runs: Runs): string[] {
  const count = countOf(runs);
  if (count < 2) return ['Here is one run, as in the paper: from two on there are bands.'];
  const against = fescOverPlain(runs);
  const worse = gammas.filter((_, g) => isAboveOne(against[g]!));
  const better = gammas.filter((_, g) => isBelowOne(against[g]!));
  const kept = meanOf(runs.byGamma[one]!.kept).value;
  const differences = [
    `The paper shows one run and prints no numbers; here are ${count} runs with bands.`,
  ];
  if (worse.length > 0) {
    // The reason is one where sites have rows enough, and some are left out.
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
  return meanOf(byGamma[gammas.indexOf(gamma)]!.size).value;
}

function fescOverPlain(runs: Runs): Estimate[] {
  return runs.byGamma.map(({ fesc, average }) => ratioOfMeans(fesc, average));
}

function isBelowOne({ value, high }: Estimate): boolean {
  return (high ?? value) < 1;
}

function isAboveOne({ value, low }: Estimate): boolean {
  return (low ?? value) > 1;
}

function listed(values: readonly number[]): string {
  return values.length === 0 ? 'at no γ' : `at γ = ${values.join(', ')}`;
}
