import type { Answered } from '../../src/analysis/question.ts';
import { DataError } from '../../src/data-error.ts';
import { defined } from '../../src/defined.ts';
import { answerAbout, methodTextOf, responsesOf } from '../../src/export/exported-model.ts';
import type { TermTexts } from '../../src/features/term-text.ts';
import { modelDesign } from '../../src/model/model-design.ts';
import { modelNames } from '../../src/model/model-names.ts';
import { createPredictor } from '../../src/model/predict.ts';
import {
  type IntervalRequest,
  noPredictionInterval,
  refuseWithoutErrors,
} from '../../src/model/prediction-interval.ts';
import type { Resolution, ResolutionLine, StudyState } from '../../src/protocol/messages.ts';
import { progressOf, type StudyProgress } from '../../src/protocol/progress.ts';
import { hasProbabilities, type PredictingModel } from '../../src/rows/predict.ts';
import { imagesOf, shapeText } from '../../src/study/image-study.ts';
import { studyTitle } from '../../src/study/study-title.ts';
import { tableStudy } from '../../src/study/table-study.ts';
import { isSite, type StudyLink } from '../tab/page-address.ts';
import { linkRounds } from './client.ts';
import { type ModelAnswers, totalAnswers } from './model-answers.ts';
import { type ModelField, modelFields } from './model-fields.ts';

/** A study that has no model yet. */
export interface NoModel {
  readonly name?: string;
  readonly formula: string;
  readonly state: StudyState;
  readonly progress: StudyProgress;
  readonly quorum: number;
  readonly problem?: string;
}

/** A model as the page gets it. */
export interface OpenedModel {
  readonly name?: string;
  readonly formula: string;
  /** Text about the method. */
  readonly method: string;
  /** Number of the round, from 2; absent in the first. */
  readonly round?: number;
  readonly number: number;
  readonly resolvedAt: string;
  /** Number of rows and of sites behind the model. */
  readonly n: number;
  readonly sites: number;
  readonly resolutions: readonly ResolutionLine[];
  /** What its images look like, where it reads images; then there are no fields to fill in. */
  readonly images?: string;
  readonly fields: readonly ModelField[];
  readonly family?: 'binomial' | 'poisson';
  /** If predictions are classes: whether they come with probabilities or with scores. */
  readonly classes?: 'probability' | 'score';
  /** Intervals that are available, and why the others are not. */
  readonly intervals: readonly IntervalRequest['kind'][];
  readonly withoutInterval?: string;
  /** In a private study: the range that predictions are limited to. */
  readonly capped?: readonly [number, number];
}

/** A model in the worker. */
export interface LoadedModel extends PredictingModel {
  readonly opened: OpenedModel;
  readonly names: TermTexts;
  readonly answers: readonly Answered[];
}

/** Fetches a resolution of the newest round that has one, and the further answers that this link may see. */
export async function fetchModel(
  link: StudyLink,
  wanted: number | 'latest',
): Promise<LoadedModel | NoModel> {
  const rounds = await linkRounds(link);
  const resolved = rounds.findLast(({ view }) => view.resolution !== undefined);
  const { client, view } = resolved ?? rounds[rounds.length - 1];
  const { study, state, quorum, problem, resolution, round } = view;
  if (resolution === undefined) {
    return {
      ...defined({ name: study.name }),
      formula: studyTitle(study),
      state,
      progress: progressOf(view),
      quorum,
      ...defined({ problem }),
    };
  }
  const [found, resolutions] = await Promise.all([client.resolution(wanted), client.resolutions()]);
  const known = withoutAsking(link, found) ?? (await totalAnswers(client, found));
  return held(found, resolutions, known, round);
}

/** The reason why the total cannot be asked; undefined if it can. */
function withoutAsking(link: StudyLink, { report }: Resolution): ModelAnswers | undefined {
  if (report.privacy !== undefined) {
    return {
      answers: [],
      why: 'No interval: the study is private and publishes only its report.',
    };
  }
  if (report.estimates !== undefined) {
    return { answers: [], why: 'No interval: the sites sent coefficients, not sums.' };
  }
  if (!isSite(link)) return undefined;
  return {
    answers: [],
    why: 'No interval: it needs the total of all sites, which only the analyst can see.',
  };
}

function held(
  { number, resolvedAt, study: agreed, report }: Resolution,
  resolutions: readonly ResolutionLine[],
  { answers, why }: ModelAnswers,
  round: number | undefined,
): LoadedModel {
  const study = tableStudy(agreed);
  const images = imagesOf(agreed);
  const model = { study: agreed, report, answers, names: modelNames(study, report) };
  const { classes } = modelDesign(study, report);
  const { family, privacy } = report;
  const opened: OpenedModel = {
    ...defined({ name: study.name }),
    formula: studyTitle(agreed),
    ...(images === undefined ? {} : { images: shapeText(images) }),
    method: methodTextOf(model),
    ...defined({ round }),
    number,
    resolvedAt,
    n: report.n,
    sites: report.sites.length,
    resolutions,
    fields: images === undefined ? modelFields(study, report, answers) : [],
    ...defined({ family }),
    ...(family !== undefined || classes.length === 0
      ? {}
      : { classes: hasProbabilities(model) ? 'probability' : 'score' }),
    ...intervalsOf(model, why),
    ...(privacy === undefined ? {} : { capped: privacy.range }),
  };
  return { ...model, opened };
}

function intervalsOf(
  model: Omit<LoadedModel, 'opened'>,
  why: string | undefined,
): Pick<OpenedModel, 'intervals' | 'withoutInterval'> {
  const { study, report } = model;
  try {
    if (report.privacy === undefined) refuseWithoutErrors(report);
    if (why !== undefined) return { intervals: [], withoutInterval: why };
    createPredictor(study, report, [], intervalRequest(model, 'confidence', 0.95));
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return { intervals: [], withoutInterval: `No interval: ${error.problem}.` };
  }
  const without = noPredictionInterval(report, modelDesign(study, report));
  if (without === undefined) return { intervals: ['confidence', 'prediction'] };
  return { intervals: ['confidence'], withoutInterval: `${without.problem}.` };
}

/** An interval request with the covariance from the total. */
export function intervalRequest(
  model: Omit<LoadedModel, 'opened'>,
  kind: IntervalRequest['kind'],
  level: number,
): IntervalRequest {
  const several = responsesOf(model.report).length > 1;
  const covariances = responsesOf(model.report).flatMap(({ response }) => {
    const found = answerAbout(model, 'covariance', several ? response : undefined);
    return found === undefined ? [] : [{ ...found, ...(several ? { response } : {}) }];
  });
  const described = answerAbout(model, 'description')?.columns;
  const means = described?.map(({ column, mean }) => [column, mean] as const);
  return { kind, level, covariances, ...(means && { means: new Map(means) }) };
}
