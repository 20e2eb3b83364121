import type { Answered } from '../../analysis/question.ts';
import { DataError } from '../../data-error.ts';
import type { Failure } from '../../failure.ts';
import { agreement } from '../../federate.ts';
import type { Report } from '../../model/report.ts';
import type { ResolutionName, Study } from '../../study/study.ts';

/** What a fit gives: the study that was fitted, its report, and answers to further questions. */
export interface FitOutcome {
  readonly study: Study;
  readonly report: Report;
  readonly answers: readonly Answered[];
  /** In a private study: what was done to rows in place of refusing them, by site. */
  readonly notes?: readonly string[];
}

/** Choices for a logistic or Poisson regression. */
export interface RoundChoices {
  /** Rounds in all; 1 unless given. */
  readonly rounds?: number;
  /** Whether to measure the distance to the pooled regression. */
  readonly gap?: boolean;
}

/** Rounds after which a regression that still moves is given up. */
const MOST_ROUNDS = 30;
/** Change, in standard errors, below which the rounds have converged. */
const CONVERGED = 1e-9;

/** Runs the requested number of Newton rounds after the sites' own optima; on request, measures the distance to the pooled regression. */
export async function furtherRounds(
  first: FitOutcome,
  { rounds = 1, gap }: RoundChoices,
  once: (study: Study) => Promise<FitOutcome>,
): Promise<FitOutcome> {
  let last = first;
  for (let steps = 1; steps < rounds; steps++) {
    last = withDeviation(await stepFrom(last, once), { steps });
  }
  return gap === true ? withDeviation(last, await gapOf(last, once)) : last;
}

/** Runs the rounds that a study has planned after its first. */
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

/** The study of the next round after a report, or why there is none; `from` names the resolution of the report. */
export function nextRound(study: Study, report: Report, from?: ResolutionName): Study | Failure {
  const { rounds } = agreement(study).method;
  return rounds === undefined ? exactAlready : rounds.next(report, from);
}

const exactAlready: Failure = {
  problem: 'the model is exact: another round would change nothing',
  remedy: 'only logistic and Poisson regressions and private studies have a next round',
};

/** The distance of a model from the pooled one, which further rounds reach if it exists. */
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
      if (moved < CONVERGED) return { measured: distance(from.report, pooled.report) };
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

/** Largest difference between the coefficients of two models, in standard errors of the second. */
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
