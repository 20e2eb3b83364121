import type { Path } from '../../src/analysis/path.ts';
import type { Answered, Question } from '../../src/analysis/question.ts';
import { type Result, resultOf } from '../../src/conclude.ts';
import { defined } from '../../src/defined.ts';
import { type Report, reportJson } from '../../src/model/report.ts';
import type { RidgeFusion } from '../../src/study/study.ts';
import { PageFailureError } from '../page-failure.ts';
import { loadedResult, methodFromTotal, withTotal } from './loaded-result.ts';

/** Another penalty than the study's own. */
export interface Exploration {
  readonly penalty: number;
  readonly scale: 'raw' | 'standardized';
  /** The study's own kind of penalty, so that the two models can be compared. */
  readonly kind: Path['kind'];
}

/** A report, and the JSON that `suffice fit --json` prints for it. */
export interface SolvedModel {
  readonly report: Report;
  readonly json: string;
}

/** The report with another penalty: what `suffice fit --ridge` prints for the same rows. */
export function exploredReport(
  study: string,
  number: number,
  exploration: Exploration,
): SolvedModel {
  const { report } = resultFor(study, number, [], methodOf(study, number, exploration));
  return { report, json: reportJson(report) };
}

/** The report with the ridge that generalised cross-validation chooses, and the curve of its scores. */
export function gcvReport(study: string, number: number, scale: Exploration['scale']): Report {
  return resultFor(study, number, [], { kind: 'ridge', ridge: 'gcv', ...standardizedModel(scale) })
    .report;
}

/** Slopes at each penalty of a path. */
export function tracedPath(
  study: string,
  number: number,
  exploration: Omit<Exploration, 'penalty'>,
  response: string,
): Path {
  const { report } = loadedResult(study, number).resolution;
  const penalty = report.lasso?.lambda ?? report.ridge?.value ?? 0;
  const question = { about: 'path', ...(response === '' ? {} : { response }) } as const;
  const method = methodOf(study, number, { ...exploration, penalty });
  const [answer] = resultFor(study, number, [question], method).answers;
  if (answer !== undefined && answer.about === 'path' && !('problem' in answer)) {
    return withNoPenalty(
      answer as Path,
      exploredReport(study, number, { ...exploration, penalty: 0 }).report,
      response,
    );
  }
  throw declined(answer);
}

/** The path with one more point, at penalty 0. Slopes that are not defined there are NaN. */
function withNoPenalty(path: Path, report: Report, response: string): Path {
  const { responses = [], terms = [] } = report;
  const rows = responses.find((one) => one.response === response)?.terms ?? terms;
  const estimates = new Map(rows.map(({ term, estimate }) => [term, estimate]));
  const coefficients = path.terms.map((term) => estimates.get(term) ?? Number.NaN);
  const point = { penalty: 0, coefficients, edf: rows.length, 'r.squared': Number.NaN };
  return { ...path, points: [...path.points, point] };
}

/** Answers from the total alone, about the published model. */
export function answersFromTotal(
  study: string,
  number: number,
  questions: readonly Question[],
): readonly Answered[] {
  return resultFor(study, number, questions, methodFromTotal(loadedResult(study, number))).answers;
}

function resultFor(
  study: string,
  number: number,
  questions: readonly Question[],
  method: RidgeFusion | undefined,
): Result {
  const { agreed, total, resolution } = withTotal(study, number);
  const { report, contributions } = resolution;
  const sent = { total, contributions: contributions.length };
  const query = { questions, ...defined({ method }) };
  const found = resultOf(agreed, sent, report.sites, query);
  if ('problem' in found) throw unsolved(found.problem, found.remedy);
  return found;
}

function methodOf(
  study: string,
  number: number,
  { penalty, scale, kind }: Exploration,
): RidgeFusion {
  if (kind === 'ridge') {
    return { kind: 'ridge', ridge: penalty, ...standardizedModel(scale) };
  }
  const mix = loadedResult(study, number).resolution.report.lasso?.mix ?? 1;
  return { kind: 'ridge', ridge: 0, lasso: { lambda: penalty, mix } };
}

/** The part of a method that says which slopes the penalty applies to. */
export function standardizedModel(scale: Exploration['scale']): Pick<RidgeFusion, 'standardize'> {
  return scale === 'standardized' ? { standardize: true } : {};
}

function declined(answer: Answered | undefined): PageFailureError {
  return answer !== undefined && 'problem' in answer
    ? unsolved(answer.problem, answer.advice)
    : unsolved('there is no path for this model', 'look at the coefficients instead');
}

function unsolved(problem: string, remedy: string): PageFailureError {
  return new PageFailureError({ kind: 'refusal', problem, remedy });
}
