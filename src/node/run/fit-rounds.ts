import { DataError } from '../../data-error.ts';
import { nextRound } from '../../federate.ts';
import type { Report } from '../../model/report.ts';
import type { Study } from '../../study/study.ts';
import type { FitOutcome } from './fit-outcome.ts';
import { withNestedFits } from './nested-fits.ts';

/** Choices for a logistic or Poisson regression. */
export interface RoundChoices {
  /** Rounds in all; until the regression has converged unless given. 1 is what a single contact with the sites gives. */
  readonly rounds?: number;
  /** Whether to measure the distance to the pooled regression. */
  readonly gap?: boolean;
}

/** Rounds after which a regression that still moves is given up. */
const MOST_ROUNDS = 30;
/** Change, in standard errors, below which the rounds have converged. */
const CONVERGED = 1e-9;
/** Change that may be rounding, if it no longer shrinks. */
const ROUNDING = 1e-6;
/** Rounds after which a coefficient that still grows has no finite estimate. */
const PATIENCE = 20;
const MOST_HALVINGS = 30;
/** Share of the log-likelihood that is rounding. */
const NOISE = 1e-10;

/**
 * Runs Newton rounds after the sites' own optima: until the regression has converged, or as many as were requested. Where
 * all rows are at hand, what they say about separation is known in every round, and smaller models are fitted too: by
 * `silently`, which answers no questions.
 */
export async function furtherRounds(
  first: FitOutcome,
  { rounds, gap }: RoundChoices,
  once: Once,
  silently: Once,
): Promise<FitOutcome> {
  const pooled = await pooledRegression(first, once);
  if (rounds === undefined) {
    if (pooled === undefined) throw noRegression([]);
    const nested = (smaller: FitOutcome) => pooledRegression(smaller, silently);
    return separationSaid(await withNestedFits(pooled, nested));
  }
  let last = first;
  for (let steps = 1; steps < rounds; steps++) {
    last = withDeviation(await stepFrom(last, once), { steps });
  }
  if (pooled === undefined)
    return withDeviation(last, { advice: 'no pooled regression was found' });
  const known = withSeparation(last, pooled.report);
  if (gap !== true) return known;
  return withDeviation(known, { measured: distance(known.report, pooled.report) });
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

/**
 * The pooled regression, by Newton's method with step halving. Along separated rows the coefficients grow without end:
 * their terms are named, and the others converge. Undefined where the likelihood is not finite anywhere near.
 */
async function pooledRegression(first: FitOutcome, once: Once): Promise<FitOutcome | undefined> {
  let best: FitOutcome | undefined;
  let from = coefficientsOf(first.report).map(([term]): Coefficient => [term, 0]);
  let to = coefficientsOf(first.report);
  let moved = Number.POSITIVE_INFINITY;
  for (let steps = 1; steps <= MOST_ROUNDS; steps++) {
    const climbed = await climb(first, from, to, best?.report.deviation?.startLogLik, once);
    // A column whose information has vanished is a combination of others, and its coefficient has left the report.
    const lost = climbed && climbed.outcome.report.aliased.length > first.report.aliased.length;
    if (climbed === undefined || (lost && best !== undefined)) break;
    const before = moved;
    const { outcome } = climbed;
    if (best !== undefined) moved = distance(best.report, outcome.report);
    best = withDeviation(outcome, { steps });
    from = climbed.at;
    to = coefficientsOf(outcome.report);
    const stopped = moved < CONVERGED || (moved < ROUNDING && moved > before / 2);
    const grows = (outcome.report.separated ?? []).length > 0;
    if (stopped && (!grows || steps >= PATIENCE)) break;
  }
  return best;
}

type Once = (study: Study) => Promise<FitOutcome>;
type Coefficient = readonly [term: string, value: number];

/** The round from the farthest of `to`, halfway back to `from`, and so on, where the likelihood is not lower than it was. */
async function climb(
  { study, report }: FitOutcome,
  from: readonly Coefficient[],
  to: readonly Coefficient[],
  logLik: number | undefined,
  once: Once,
): Promise<{ readonly outcome: FitOutcome; readonly at: Coefficient[] } | undefined> {
  const least =
    logLik === undefined ? Number.NEGATIVE_INFINITY : logLik - NOISE * (1 + Math.abs(logLik));
  for (let half = 0; half <= MOST_HALVINGS; half++) {
    const share = half === MOST_HALVINGS ? 0 : 2 ** -half;
    const at = to.map(([term, value], k): Coefficient => {
      const start = from[k][1];
      return [term, start + share * (value - start)];
    });
    const terms = at.map(([term, estimate]) => ({ term, estimate }));
    const outcome = await stepFrom(
      { study, report: { ...report, terms }, answers: [] },
      once,
    ).catch((failure: unknown) => {
      if (failure instanceof DataError) return undefined;
      throw failure;
    });
    if (outcome === undefined) continue;
    if ((outcome.report.deviation?.startLogLik ?? Number.NaN) >= least) return { outcome, at };
  }
  return undefined;
}

function coefficientsOf({ terms = [] }: Report): Coefficient[] {
  return terms.map(({ term, estimate }) => [term, estimate]);
}

/** A regression whose rows are separated, said with certainty; refused where no coefficient is left. */
function separationSaid(pooled: FitOutcome): FitOutcome {
  const { separated = [], terms = [] } = pooled.report;
  if (separated.length === 0) return pooled;
  if (separated.length === terms.length) throw noRegression(separated);
  return withDeviation(pooled, { advice: certainText(separated) });
}

/** What the pooled rows say about separation, in a fit of fewer rounds. */
function withSeparation(outcome: FitOutcome, pooled: Report): FitOutcome {
  const { separated } = pooled;
  const { separated: _, ...report } = outcome.report;
  if (separated === undefined) return { ...outcome, report };
  const known: Report = {
    ...report,
    separated,
    terms: (report.terms ?? []).map((row) =>
      separated.includes(row.term) ? { term: row.term, estimate: row.estimate } : row,
    ),
  };
  return withDeviation({ ...outcome, report: known }, { advice: certainText(separated) });
}

function certainText(terms: readonly string[]): string {
  return (
    `the rows are separated: ${terms.join(', ')} ` +
    `${terms.length === 1 ? 'has' : 'have'} no finite estimate and would grow with every round`
  );
}

function noRegression(terms: readonly string[]): DataError {
  return new DataError(
    terms.length === 0
      ? 'no regression fits these rows: the likelihood is not finite anywhere near'
      : `the rows are separated: the coefficients of ${terms.join(', ')} grow without end`,
    {},
    "leave terms out; or keep to one round, whose numbers are finite by Firth's correction",
  );
}

function withDeviation(
  outcome: FitOutcome,
  more: Partial<NonNullable<Report['deviation']>>,
): FitOutcome {
  const { report } = outcome;
  if (report.deviation === undefined) return outcome;
  return { ...outcome, report: { ...report, deviation: { ...report.deviation, ...more } } };
}

/** Largest difference between the coefficients of two models, in standard errors of the second, where it has one. */
function distance(a: Report, b: Report): number {
  const estimates = new Map((a.terms ?? []).map(({ term, estimate }) => [term, estimate]));
  return Math.max(
    0,
    ...(b.terms ?? []).flatMap(({ term, estimate, 'std.error': error }) =>
      error === undefined ? [] : [Math.abs(estimate - (estimates.get(term) ?? Number.NaN)) / error],
    ),
  );
}
