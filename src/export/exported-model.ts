import type { Answer, Answered } from '../analysis/question.ts';
import { DataError } from '../data-error.ts';
import { featuresText } from '../features/feature-maps.ts';
import { agreement } from '../federate.ts';
import type { Method } from '../fusion/method.ts';
import type { Report, ResponseReport } from '../model/report.ts';
import { reportedMap } from '../model/reported-map.ts';
import type { Fusion, Study } from '../study/study.ts';

/** Input of every exporter: the study, its report, and further answers. */
export interface ExportedModel {
  readonly study: Study;
  readonly report: Report;
  /** The fusion of the model, where it is not the study's own. */
  readonly method?: Fusion;
  readonly answers?: readonly Answered[];
}

/** The method of the model. */
export function modelMethod({ study, method: fusion = study.fusion }: ExportedModel): Method {
  return agreement({ ...study, fusion }).method;
}

/** How the model was fitted, in plain text. */
export function methodTextOf(model: ExportedModel): string {
  const { text, regression } = modelMethod(model);
  return text.learnt + (regression === undefined ? '' : featuresText(regression.study));
}

/** What biases the coefficients, so that intervals do not hold: a lossy feature map, or a penalty. */
export function biasOf({ report }: ExportedModel): string | undefined {
  const map = reportedMap(report)?.map;
  if (map?.loss !== undefined) return map.noun;
  const { errors, ridge, lasso } = report;
  const penalised = errors === 'ignoring-bias' || ridge !== undefined || lasso !== undefined;
  return penalised ? 'penalty' : undefined;
}

/** Whether anything biases the coefficients. */
export function isBiased(model: ExportedModel): boolean {
  return biasOf(model) !== undefined;
}

type About<Topic extends Answer['about']> = Extract<Answer, { readonly about: Topic }>;

/** The first answer on a topic, for the given response where there are several. */
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
 * One entry per response, whether the formula has one (named '') or several. Terms are the formula's columns, also where
 * the model was fitted to linear maps of them.
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
