import type { Answer, Answered } from '../analysis/question.ts';
import { DataError } from '../data-error.ts';
import { featuresText } from '../features/feature-maps.ts';
import { agreement } from '../federate.ts';
import type { Report, ResponseReport } from '../model/report.ts';
import { reportedMap } from '../model/reported-map.ts';
import type { Fusion, Study } from '../study/study.ts';

/** What every exporter is given: the agreement, what came of it, and what else was asked. */
export interface ExportedModel {
  readonly study: Study;
  readonly report: Report;
  /** How the model was made, where it was not by the study's own fusion. */
  readonly method?: Fusion;
  readonly answers?: readonly Answered[];
}

/** How the model was learnt, in plain words. */
export function learntBy({ study, method: fusion = study.fusion }: ExportedModel): string {
  const { text, regression } = agreement({ ...study, fusion }).method;
  return text.learnt + (regression === undefined ? '' : featuresText(regression.study));
}

/** What biases the coefficients, so that errors make no intervals: a feature map that loses something, or a penalty. */
export function biasOf({ report }: ExportedModel): string | undefined {
  const map = reportedMap(report)?.map;
  if (map?.loss !== undefined) return map.noun;
  const { errors, ridge, lasso } = report;
  const penalised = errors === 'ignoring-bias' || ridge !== undefined || lasso !== undefined;
  return penalised ? 'penalty' : undefined;
}

/** Whether anything does. */
export function isBiased(model: ExportedModel): boolean {
  return biasOf(model) !== undefined;
}

type About<Topic extends Answer['about']> = Extract<Answer, { readonly about: Topic }>;

/** The first answer about a topic; of a response, where there are several. */
export function answerAbout<Topic extends Answer['about']>(
  { answers }: ExportedModel,
  topic: Topic,
  response?: string,
): About<Topic> | undefined {
  const found = answers?.find(
    (answer) =>
      answer.about === topic &&
      !('problem' in answer) &&
      (response === undefined || answer.response === undefined || answer.response === response),
  );
  return found as About<Topic> | undefined;
}

/**
 * One entry a response, whether the formula has one (named '') or several; terms are the formula's columns, also where the
 * model was learnt from linear maps of them.
 */
export function responsesOf({
  responses,
  terms,
  n,
  glance = { nobs: n },
  original,
}: Report): readonly ResponseReport[] {
  if (responses !== undefined) {
    return responses.map((one) => ({ ...one, terms: one.original ?? one.terms }));
  }
  if (terms !== undefined) {
    return [{ response: '', terms: original ?? terms, glance }];
  }
  throw new DataError(
    'the report has no coefficients',
    {},
    'give the model of a study that resolved',
  );
}
