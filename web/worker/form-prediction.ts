import { modelRow } from '../../src/analysis/right-side.ts';
import { DataError } from '../../src/data-error.ts';
import { defined } from '../../src/defined.ts';
import { responsesOf } from '../../src/export/exported-model.ts';
import { modelDesign } from '../../src/model/model-design.ts';
import { modelStudy } from '../../src/model/model-study.ts';
import { createPredictor, type Predictor } from '../../src/model/predict.ts';
import { posteriorsOf } from '../../src/rows/predict.ts';
import { parseFormula } from '../../src/study/formula.ts';
import { type FormRequest, type ReadForm, readForm } from './form-cells.ts';
import { intervalRequest, type LoadedModel } from './opened-model.ts';

/** The prediction for one row. */
export interface FormPrediction {
  /** Confidence level of its intervals, between 0 and 1. */
  readonly level: number;
  /** Problems, by name of the field. */
  readonly problems: Readonly<Record<string, string>>;
  /** Fields outside the study's range. */
  readonly outside: readonly string[];
  /** Why there is no prediction although every field is fine. */
  readonly refused?: string;
  readonly responses: readonly PredictedResponse[];
  readonly classes: readonly PredictedClasses[];
}

export interface PredictedResponse {
  readonly response: string;
  readonly unit?: string;
  readonly fitted: number;
  /** The two levels of a binary response. */
  readonly levels?: readonly [yes: string, no: string];
  /** The linear predictor, if the model has a link function. */
  readonly link?: number;
  readonly error?: number;
  readonly confidence?: IntervalBounds;
  readonly prediction?: IntervalBounds;
  readonly parts: readonly TermContribution[];
}

export type IntervalBounds = readonly [low: number, high: number];

/** A term adds coefficient × value. */
export interface TermContribution {
  /** R's name. */
  readonly term: string;
  /** Its name for people. */
  readonly text: string;
  readonly estimate: number;
  readonly value: number;
}

export interface PredictedClasses {
  readonly label: string;
  readonly level: string;
  readonly shares: readonly { readonly level: string; readonly share: number }[];
}

/** Predicts one row, or names the fields that are wrong. */
export function predictForm(model: LoadedModel, request: FormRequest): FormPrediction {
  const { level } = request;
  const form = readForm(model, request);
  const nothing = { ...form, level, responses: [], classes: [] };
  if (Object.keys(form.problems).length > 0) return nothing;
  try {
    const plain = valuesOf(predictorOf(model), form);
    const [confidence, prediction] = (['confidence', 'prediction'] as const).map((kind) =>
      intervalValues(model, form, kind, level),
    );
    return {
      ...form,
      level,
      responses: responses(model, form, plain, confidence, prediction),
      classes: classesOf(model, plain),
    };
  } catch (error) {
    if (!(error instanceof DataError)) throw error;
    return { ...nothing, refused: error.problem };
  }
}

type Values = ReadonlyMap<string, number>;

function predictorOf(
  model: LoadedModel,
  interval?: Parameters<typeof createPredictor>[3],
): Predictor {
  return createPredictor(model.study, model.report, posteriorsOf(model), interval);
}

function valuesOf(predictor: Predictor, { codes }: ReadForm): Values {
  const columns = predictor.variables.map((name) => Float64Array.of(codes[name]));
  const predicted = predictor.predict({ rows: 1, columns }, { file: 'the form', rowOf: () => 1 });
  return new Map(predictor.names.map((name, k) => [name, predicted[k][0]]));
}

function intervalValues(
  model: LoadedModel,
  form: ReadForm,
  kind: 'confidence' | 'prediction',
  level: number,
): Values | undefined {
  if (!model.opened.intervals.includes(kind)) return undefined;
  return valuesOf(predictorOf(model, intervalRequest(model, kind, level)), form);
}

function responses(
  model: LoadedModel,
  form: ReadForm,
  plain: Values,
  confidence: Values | undefined,
  prediction: Values | undefined,
): PredictedResponse[] {
  const { study, report } = model;
  const all = responsesOf(report);
  const asked = modelStudy(study, report);
  const row = modelRow({ study: asked, design: modelDesign(asked, report) }, form.row);
  if ('problem' in row) throw new DataError(row.problem, {}, row.remedy);
  return all.map(({ response, terms }) => {
    const suffix = all.length > 1 ? `.${response}` : '';
    const name = response || parseFormula(asked.formula).responseLabel;
    const column = asked.codebook[name];
    const unit = column?.type === 'number' ? column.unit : undefined;
    const link = plain.get(`.link${suffix}`);
    const levels = report.family === 'binomial' ? yesAndNo(model, name) : undefined;
    const bounds = (values: Values | undefined) =>
      values && ([values.get(`.lower${suffix}`)!, values.get(`.upper${suffix}`)!] as const);
    return {
      response: name,
      ...defined({ unit }),
      fitted: plain.get(`.fitted${suffix}`)!,
      ...defined({ levels, link }),
      ...(confidence && { error: confidence.get(`.se.fit${suffix}`)! }),
      ...(confidence && { confidence: bounds(confidence)! }),
      ...(prediction && { prediction: bounds(prediction)! }),
      parts: terms.map(({ term, estimate }) => ({
        term,
        text: model.names.columns.get(term) ?? term,
        estimate: estimate ?? 0,
        value: row.get(term) ?? 0,
      })),
    };
  });
}

function yesAndNo({ study, report }: LoadedModel, response: string): readonly [string, string] {
  const [classes] = modelDesign(study, report).classes;
  const [no, yes] = classes?.levels ?? [`${response} 0`, `${response} 1`];
  return [yes, no];
}

function classesOf({ study, report, opened }: LoadedModel, plain: Values): PredictedClasses[] {
  if (opened.classes === undefined) return [];
  const { classes } = modelDesign(study, report);
  return classes.map(({ label, levels }) => {
    const suffix = classes.length === 1 ? '' : `.${label}`;
    return {
      label,
      level: levels[plain.get(`.class${suffix}`)!],
      shares: levels.map((level) => ({
        level,
        share:
          plain.get(`.probability${suffix}.${level}`) ?? plain.get(`.score${suffix}.${level}`) ?? 0,
      })),
    };
  });
}
