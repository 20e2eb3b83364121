import type { Path } from '../../src/analysis/path.ts';
import type { Answered, Question } from '../../src/analysis/question.ts';
import { type Findings, findings } from '../../src/conclude.ts';
import { type Report, reportJson } from '../../src/model/report.ts';
import type { RidgeFusion } from '../../src/study/study.ts';
import { heldResult, methodFromTotal, withTotal } from './held-result.ts';
import { DeskTrouble } from './trouble.ts';

/** Another penalty than the study's own. */
export interface Exploration {
  readonly penalty: number;
  readonly scale: 'raw' | 'standardized';
  /** What kind of penalty: the study's own kind, so that the two can be compared. */
  readonly kind: Path['kind'];
}

/** A report, and as the text that `suffice fit --json` prints. */
export interface Solved {
  readonly report: Report;
  readonly json: string;
}

/** The report of the study with another penalty: what `suffice fit --ridge` prints of the same rows. */
export function exploredReport(study: string, number: number, exploration: Exploration): Solved {
  const { report } = look(study, number, [], methodOf(study, number, exploration));
  return { report, json: reportJson(report) };
}

/** What the study would have chosen by generalised cross-validation, with the curve it would have chosen from. */
export function gcvReport(study: string, number: number, scale: Exploration['scale']): Report {
  return look(study, number, [], { kind: 'ridge', ridge: 'gcv', ...standardized(scale) }).report;
}

/** Slopes along the penalty. */
export function tracedPath(
  study: string,
  number: number,
  exploration: Omit<Exploration, 'penalty'>,
  response: string,
): Path {
  const { report } = heldResult(study, number).resolution;
  const penalty = report.lasso?.lambda ?? report.ridge?.value ?? 0;
  const question = { about: 'path', ...(response === '' ? {} : { response }) } as const;
  const method = methodOf(study, number, { ...exploration, penalty });
  const [answer] = look(study, number, [question], method).answers;
  if (answer !== undefined && answer.about === 'path' && !('problem' in answer)) {
    return withNoPenalty(
      answer as Path,
      exploredReport(study, number, { ...exploration, penalty: 0 }).report,
      response,
    );
  }
  throw declined(answer);
}

/** A path down to no penalty at all; what is not defined there has no value. */
function withNoPenalty(path: Path, report: Report, response: string): Path {
  const { responses = [], terms = [] } = report;
  const rows = responses.find((one) => one.response === response)?.terms ?? terms;
  const estimates = new Map(rows.map(({ term, estimate }) => [term, estimate]));
  const coefficients = path.terms.map((term) => estimates.get(term) ?? Number.NaN);
  const point = { penalty: 0, coefficients, edf: rows.length, 'r.squared': Number.NaN };
  return { ...path, points: [...path.points, point] };
}

/** Answers that the total alone gives, about the model as published. */
export function answersFromTotal(
  study: string,
  number: number,
  questions: readonly Question[],
): readonly Answered[] {
  return look(study, number, questions, methodFromTotal(heldResult(study, number))).answers;
}

function look(
  study: string,
  number: number,
  questions: readonly Question[],
  method: RidgeFusion | undefined,
): Findings {
  const { agreed, total, resolution } = withTotal(study, number);
  const { report, contributions } = resolution;
  const sent = { total, contributions: contributions.length };
  const inquiry = { questions, ...(method === undefined ? {} : { method }) };
  const found = findings(agreed, sent, report.sites, inquiry);
  if ('problem' in found) throw unsolved(found.problem, found.remedy);
  return found;
}

function methodOf(
  study: string,
  number: number,
  { penalty, scale, kind }: Exploration,
): RidgeFusion {
  if (kind === 'ridge') {
    return { kind: 'ridge', ridge: penalty, ...standardized(scale) };
  }
  const mix = heldResult(study, number).resolution.report.lasso?.mix ?? 1;
  return { kind: 'ridge', ridge: 0, lasso: { lambda: penalty, mix } };
}

/** How a method says which slopes its penalty is put on. */
export function standardized(scale: Exploration['scale']): Pick<RidgeFusion, 'standardize'> {
  return scale === 'standardized' ? { standardize: true } : {};
}

function declined(answer: Answered | undefined): DeskTrouble {
  return answer !== undefined && 'problem' in answer
    ? unsolved(answer.problem, answer.advice)
    : unsolved('there is no path for this model', 'look at the coefficients instead');
}

function unsolved(problem: string, remedy: string): DeskTrouble {
  return new DeskTrouble({ kind: 'refusal', problem, remedy });
}
