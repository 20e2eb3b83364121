import type { Answer, Answered } from '../analysis/question.ts';
import { DataError } from '../data-error.ts';
import type { Report, ResponseReport } from '../model/report.ts';
import { featureWords } from '../study/feature-words.ts';
import { methodWords } from '../study/method-words.ts';
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
export function learntBy({ study, method = study.fusion }: ExportedModel): string {
  const learnt = study.privacy ? 'differentially private least squares' : methodWords(method);
  return learnt + featureWords(study);
}

/** Whether a penalty or a projection biases the coefficients, so that errors make no intervals. */
export function isBiased({ report: { errors, ridge, lasso, projection } }: ExportedModel): boolean {
  const penalised = errors === 'ignoring-bias' || ridge !== undefined || lasso !== undefined;
  return penalised || projection !== undefined;
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
 * model was learnt from projections of them.
 */
export function responsesOf({
  responses,
  terms,
  glance,
  original,
}: Report): readonly ResponseReport[] {
  if (responses !== undefined) {
    return responses.map((one) => ({ ...one, terms: one.original ?? one.terms }));
  }
  if (terms !== undefined && glance !== undefined) {
    return [{ response: '', terms: original ?? terms, glance }];
  }
  throw new DataError(
    'the report has no coefficients',
    {},
    'give the model of a study that resolved',
  );
}
