import type { Answered } from '../../src/analysis/question.ts';
import { DataError } from '../../src/data-error.ts';
import { answerAbout, learntBy, responsesOf } from '../../src/export/exported-model.ts';
import { modelDesign } from '../../src/model/model-design.ts';
import { createPredictor } from '../../src/model/predict.ts';
import {
  type IntervalRequest,
  noPredictionInterval,
  refuseWithoutErrors,
} from '../../src/model/prediction-interval.ts';
import type { Resolution, ResolutionLine, StudyState } from '../../src/protocol/messages.ts';
import { type PredictingModel, posteriorsOf } from '../../src/rows/predict.ts';
import { studyTitle } from '../../src/study/study-title.ts';
import { tableStudy } from '../../src/study/table-study.ts';
import { isSite, type StudyLink } from '../app/here.ts';
import { clientOf } from './client.ts';
import { askTotal, type ModelAnswers } from './model-answers.ts';
import { type ModelField, modelFields } from './model-fields.ts';

/** A study that has no model yet. */
export interface NoModel {
  readonly name?: string;
  readonly formula: string;
  readonly state: StudyState;
  readonly contributed: number;
  readonly sites: number;
  readonly quorum: number;
  readonly problem?: string;
}

/** What a page needs of a model to ask for rows. */
export interface OpenedModel {
  readonly name?: string;
  readonly formula: string;
  /** How it was learnt, in words. */
  readonly method: string;
  readonly number: number;
  readonly resolvedAt: string;
  /** Rows and sites it was learnt from. */
  readonly n: number;
  readonly sites: number;
  readonly resolutions: readonly ResolutionLine[];
  readonly fields: readonly ModelField[];
  readonly family?: 'binomial' | 'poisson';
  /** Whether predictions are classes, and what stands behind them. */
  readonly classes?: 'probability' | 'score';
  /** Intervals that can be had, and why the others cannot. */
  readonly intervals: readonly IntervalRequest['kind'][];
  readonly withoutInterval?: string;
  /** Range that predictions of a private model are capped to. */
  readonly capped?: readonly [number, number];
}

/** A model as the desk holds it. */
export interface HeldModel extends PredictingModel {
  readonly opened: OpenedModel;
  readonly answers: readonly Answered[];
}

/** Fetches a resolution, and what else the holder of the link may know of it. */
export async function fetchModel(
  link: StudyLink,
  wanted: number | 'latest',
): Promise<HeldModel | NoModel> {
  const client = clientOf(link);
  const { study, state, quorum, sites, problem, resolution } = await client.view();
  if (resolution === undefined) {
    const contributed = sites.filter((site) => site.state === 'contributed').length;
    return {
      ...named(study.name),
      formula: studyTitle(study),
      state,
      contributed,
      sites: sites.length,
      quorum,
      ...(problem === undefined ? {} : { problem }),
    };
  }
  const [found, resolutions] = await Promise.all([client.resolution(wanted), client.resolutions()]);
  const known = withoutAsking(link, found) ?? (await askTotal(client, found));
  return held(found, resolutions, known);
}

/** Why the total is not asked, where it would be in vain. */
function withoutAsking(link: StudyLink, { report }: Resolution): ModelAnswers | undefined {
  if (report.privacy !== undefined) {
    return {
      answers: [],
      why: 'No interval: the study is private, and its report is all there is to see.',
    };
  }
  if (report.estimates !== undefined) {
    return { answers: [], why: 'No interval: the sites sent coefficients, not sums.' };
  }
  if (!isSite(link)) return undefined;
  return {
    answers: [],
    why: 'No interval: it needs the total of all sites, which only who runs the study can see.',
  };
}

function held(
  { number, resolvedAt, study: agreed, report }: Resolution,
  resolutions: readonly ResolutionLine[],
  { answers, why }: ModelAnswers,
): HeldModel {
  const study = tableStudy(agreed);
  const model = { study, report, answers };
  const { classes } = modelDesign(study, report);
  const { family, privacy } = report;
  const opened: OpenedModel = {
    ...named(study.name),
    formula: studyTitle(study),
    method: learntBy(model),
    number,
    resolvedAt,
    n: report.n,
    sites: report.sites.length,
    resolutions,
    fields: modelFields(study, report, answers),
    ...(family === undefined ? {} : { family }),
    ...(family !== undefined || classes.length === 0
      ? {}
      : { classes: posteriorsOf(model).length > 0 ? 'probability' : 'score' }),
    ...intervalsOf(model, why),
    ...(privacy === undefined ? {} : { capped: privacy.range }),
  };
  return { ...model, opened };
}

function named(name: string | undefined): { readonly name?: string } {
  return name === undefined ? {} : { name };
}

function intervalsOf(
  model: Omit<HeldModel, 'opened'>,
  why: string | undefined,
): Pick<OpenedModel, 'intervals' | 'withoutInterval'> {
  const { study, report } = model;
  try {
    if (report.privacy === undefined) refuseWithoutErrors(report);
    if (why !== undefined) return { intervals: [], withoutInterval: why };
    createPredictor(study, report, [], intervalRequest(model, 'confidence', 0.95));
  } catch (failure) {
    if (!(failure instanceof DataError)) throw failure;
    return { intervals: [], withoutInterval: `No interval: ${failure.problem}.` };
  }
  const without = noPredictionInterval(report, modelDesign(study, report));
  if (without === undefined) return { intervals: ['confidence', 'prediction'] };
  return { intervals: ['confidence'], withoutInterval: `${without.problem}.` };
}

/** An interval by the covariance that the total told. */
export function intervalRequest(
  model: Omit<HeldModel, 'opened'>,
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
