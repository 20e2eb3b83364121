import { DataError } from '../data-error.ts';
import type { Failure } from '../failure.ts';
import { agreement } from '../federate.ts';
import type { Report } from '../model/report.ts';
import type { Study } from '../study/study.ts';
import type { FitOutcome, FitRequest } from './fit.ts';

/** Rounds after which a regression that still moves is given up on. */
const MOST_ROUNDS = 30;
/** Standard errors below which a round changes nothing. */
const STILL = 1e-9;

/** Newton rounds after the sites' own optima, as many as were asked for; and how far pooling still is. */
export async function furtherRounds(
  first: FitOutcome,
  { rounds = 1, gap }: Pick<FitRequest, 'rounds' | 'gap'>,
  once: (study: Study) => Promise<FitOutcome>,
): Promise<FitOutcome> {
  let last = first;
  for (let steps = 1; steps < rounds; steps++) {
    last = withDeviation(await stepFrom(last, once), { steps });
  }
  return gap === true ? withDeviation(last, await gapOf(last, once)) : last;
}

/** The rounds that a study has planned after its first. */
export async function plannedRounds(
  first: FitOutcome,
  rounds: number,
  once: (study: Study) => Promise<FitOutcome>,
): Promise<FitOutcome> {
  let last = first;
  for (let round = 1; round <= rounds; round++) last = await stepFrom(last, once);
  return last;
}

function stepFrom(
  { study, report }: FitOutcome,
  once: (study: Study) => Promise<FitOutcome>,
): Promise<FitOutcome> {
  const next = nextRound(study, report);
  if ('problem' in next) throw new DataError(next.problem, {}, next.remedy, next.option);
  return once(next);
}

/** The study of the round after a report, or why there is none. */
export function nextRound(study: Study, report: Report): Study | Failure {
  const { rounds } = agreement(study).method;
  return rounds === undefined ? exactAlready : rounds.next(report);
}

const exactAlready: Failure = {
  problem: 'the model is exact: another round would change nothing',
  remedy: 'only logistic and Poisson regressions and private studies have a next round',
};

/** How far a model is from the pooled one, which further rounds arrive at where it exists. */
async function gapOf(
  from: FitOutcome,
  once: (study: Study) => Promise<FitOutcome>,
): Promise<Partial<NonNullable<Report['deviation']>>> {
  let pooled = from;
  try {
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const next = await stepFrom(pooled, once);
      const moved = distance(pooled.report, next.report);
      pooled = next;
      if (moved < STILL) return { measured: distance(from.report, pooled.report) };
    }
  } catch (failure) {
    if (!(failure instanceof DataError)) throw failure;
  }
  return { advice: 'the pooled regression does not exist: its rows are separated' };
}

function withDeviation(
  outcome: FitOutcome,
  more: Partial<NonNullable<Report['deviation']>>,
): FitOutcome {
  const { report } = outcome;
  if (report.deviation === undefined) return outcome;
  return { ...outcome, report: { ...report, deviation: { ...report.deviation, ...more } } };
}

/** Largest difference of two models over their coefficients, in standard errors of the second. */
function distance(a: Report, b: Report): number {
  const estimates = new Map((a.terms ?? []).map(({ term, estimate }) => [term, estimate]));
  return Math.max(
    0,
    ...(b.terms ?? []).map(
      ({ term, estimate, 'std.error': error = Number.NaN }) =>
        Math.abs(estimate - (estimates.get(term) ?? Number.NaN)) / error,
    ),
  );
}
